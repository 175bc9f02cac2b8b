import type { Clock } from "../clock.ts";
import { type GraphError, tokenError } from "./graph-error.ts";

/** Why a token was revoked: the password was changed, or the app removed. */
export type Withdrawal = "session" | "app";

/** The validity of a token. */
export interface Lifetime {
  readonly appId: string;
  /** Undefined: never. */
  readonly expiresAtMs: number | undefined;
  readonly withdrawn: Withdrawal | undefined;
}

/** The error for calls with the token; undefined while it is valid. */
export function tokenFault(token: Lifetime, clock: Clock): GraphError | undefined {
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
