import { Journal } from "../journal.ts";
import type { Scope } from "./token-store.ts";

export function newConsentJournal(): Journal<Consent> {
  return new Journal<Consent>(1000);
}

/** A consent page that a person has opened. */
export interface Consent {
  readonly id: string;
  readonly client_id: string;
  readonly scopes: readonly Scope[];
  readonly state: string | null;
  readonly redirect_uri: string;
  /** Unix seconds. */
  readonly opened_at: number;
  /** The redirect address after the dialog; null until then. */
  redirect_url: string | null;
}
