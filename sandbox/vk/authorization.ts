import { randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";
import { type Authorization as AnyAuthorization, AuthorizationList } from "../oauth/authorization.ts";

/** An application that people can give access to their communities. */
export interface App {
  readonly id: number;
  readonly secret: string;
  readonly name: string;
  /** Addresses that people may be led back to; empty allows every address. */
  readonly redirectUris: readonly string[];
}

interface ForApp {
  readonly app_id: number;
  /** Communities whose keys are asked for; empty asks for the person's own. */
  readonly group_ids: readonly number[];
}

/** A page on which somebody is asked for access. */
export type Authorization = AnyAuthorization & ForApp;

/** Who was asked, and the codes that came of it: https://dev.vk.com/ru/api/access-token/authcode-flow-community */
export type Authorizations = AuthorizationList<ForApp, { readonly userId: number }>;

export function createAuthorizations(clock: Clock): Authorizations {
  return new AuthorizationList(clock, () => randomBytes(9).toString("hex"));
}
