import { randomBytes } from "node:crypto";
import type { Clock } from "../../clock.ts";
import { type Authorization as AnyAuthorization, AuthorizationList } from "../../oauth/authorization.ts";

/** An application to which people can grant access to their communities. */
export interface App {
  readonly id: number;
  readonly secret: string;
  readonly name: string;
  /** Allowed redirect addresses; empty: any. */
  readonly redirectUris: readonly string[];
}

interface ForApp {
  readonly app_id: number;
  /** Communities whose keys are requested; empty: the person's own key. */
  readonly group_ids: readonly number[];
}

/** A page that asks a person for access. */
export type Authorization = AnyAuthorization & ForApp;

/** The pages, and the resulting codes: https://dev.vk.com/ru/api/access-token/authcode-flow-community */
export type Authorizations = AuthorizationList<ForApp, { readonly userId: number }>;

export function createAuthorizations(clock: Clock): Authorizations {
  return new AuthorizationList(clock, () => randomBytes(9).toString("hex"));
}
