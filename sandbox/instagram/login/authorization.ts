import { randomBytes } from "node:crypto";
import type { Clock } from "../../clock.ts";
import { type Authorization as AnyAuthorization, AuthorizationList } from "../../oauth/authorization.ts";

interface ForApp {
  readonly app_id: string;
}

/** An open dialog of the business login. */
export type Authorization = AnyAuthorization & ForApp;

/** The dialogs and the resulting codes, each for one account (page "Business login for Instagram"). */
export type Authorizations = AuthorizationList<ForApp, { readonly accountId: string }>;

export function createAuthorizations(clock: Clock): Authorizations {
  return new AuthorizationList(clock, () => `AQB${randomBytes(96).toString("base64url")}`);
}
