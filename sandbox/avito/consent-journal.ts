import { Journal } from "../journal.ts";
import type { Scope } from "./token-store.ts";

export function newConsentJournal(): Journal<Consent> {
  return new Journal<Consent>(1000);
}

/** A consent page that somebody has opened. */
export interface Consent {
  readonly id: string;
  readonly client_id: string;
  readonly scopes: readonly Scope[];
  readonly state: string | null;
  readonly redirect_uri: string;
  /** Seconds since 1970. */
  readonly opened_at: number;
  /** Where the person was led back to, once they are done. */
  redirect_url: string | null;
}
