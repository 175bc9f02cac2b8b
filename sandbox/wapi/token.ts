import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";
import { type GraphError, tokenError } from "./graph-error.ts";

/** The permissions of the WhatsApp Business Platform. */
export type Scope = "whatsapp_business_messaging" | "whatsapp_business_management" | "business_management";

/** What a token has without being asked otherwise. */
export const defaultScopes: readonly Scope[] = [
  "whatsapp_business_management",
  "whatsapp_business_messaging",
];

/** Why a token that once worked does not any more. */
export type Withdrawal = "session" | "app";

/** An access token; `wabaIds` undefined sees every account of the app's business. */
export interface Token {
  readonly value: string;
  readonly appId: string;
  readonly type: "SYSTEM_USER" | "APP";
  readonly scopes: readonly Scope[];
  readonly wabaIds: readonly string[] | undefined;
  readonly issuedAtMs: number;
  /** Undefined: never. */
  expiresAtMs: number | undefined;
  withdrawn: Withdrawal | undefined;
}

/** A token's text, in the form that Meta gives out. */
export function newTokenValue(): string {
  return `EAA${randomBytes(90).toString("base64url").replace(/[-_]/g, "Z")}`;
}

/** `appsecret_proof`: https://developers.facebook.com/docs/graph-api/guides/secure-requests */
export function appSecretProof(secret: string, token: string): string {
  return createHmac("sha256", secret).update(token).digest("hex");
}

/** The error that the token ends a call with; undefined while it is good. */
export function tokenFault(token: Token, clock: Clock): GraphError | undefined {
  if (token.withdrawn === "app") {
    const message = `Error validating access token: The user has not authorized application ${token.appId}.`;
    return tokenError(message, 190, 458);
  }
  if (token.withdrawn === "session") {
    const message =
      "Error validating access token: The session has been invalidated because the user changed their password " +
      "or Facebook has changed the session for security reasons.";
    return tokenError(message, 190, 460);
  }
  const now = clock.nowMs();
  if (token.expiresAtMs === undefined || token.expiresAtMs > now) return undefined;
  const message =
    `Error validating access token: Session has expired on ${longDate(token.expiresAtMs)}. ` +
    `The current time is ${longDate(now)}.`;
  return tokenError(message, 190, 463);
}

const weekday = new Intl.DateTimeFormat("en-US", { weekday: "long", timeZone: "UTC" });
const month = new Intl.DateTimeFormat("en-US", { month: "short", timeZone: "UTC" });

/** `Tuesday, 01-Dec-25 06:00:00 UTC` */
function longDate(ms: number): string {
  const date = new Date(ms);
  const day = String(date.getUTCDate()).padStart(2, "0");
  const year = String(date.getUTCFullYear()).slice(2);
  return `${weekday.format(date)}, ${day}-${month.format(date)}-${year} ${date.toISOString().slice(11, 19)} UTC`;
}
