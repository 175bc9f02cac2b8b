import { createHmac } from "node:crypto";
import type { Core } from "../../../core/core.ts";
import { newSecret } from "../../../platform/ids.ts";
import { isSame } from "../../../platform/same.ts";

/** The session of the consent page, as a sealed cookie that other sites cannot send along. */
export interface ConsentSession {
  /** Unique to this cookie; its forms contain a value derived from it. */
  readonly nonce: string;
  /** The account, and the token that proved it; null before the sign-in. */
  readonly account: { readonly id: number; readonly tokenId: string } | null;
  /** Unix milliseconds. */
  readonly until: number;
}

const COOKIE = "trunkline_consent";
const LIFETIME_SECONDS = 600;
const CONTEXT = "oauth consent";

export function newSession({ clock }: Core, account: ConsentSession["account"]): ConsentSession {
  return { nonce: newSecret(16), account, until: clock.now().getTime() + LIFETIME_SECONDS * 1_000 };
}

/**
 * Over https, browsers accept a cookie of this name only from this exact host: otherwise a neighbour on the same
 * domain could set a session of another account, and the person would authorise the application for that one.
 */
function cookieName({ settings }: Core): string {
  return isSecure(settings) ? `__Host-${COOKIE}` : COOKIE;
}

function isSecure({ publicUrl }: Core["settings"]): boolean {
  return publicUrl.startsWith("https:");
}

/** The session of a `Cookie` header; null if there is none, or it has ended. */
export function readSession(core: Core, header: string | undefined): ConsentSession | null {
  const { seal, clock } = core;
  const value = new RegExp(`(?:^|;\\s*)${cookieName(core)}=([\\w-]+)`).exec(header ?? "")?.[1];
  if (value === undefined) return null;
  try {
    const session = JSON.parse(
      seal.open(Buffer.from(value, "base64url"), CONTEXT).toString(),
    ) as ConsentSession;
    return session.until > clock.now().getTime() ? session : null;
  } catch {
    // Of another installation, or forged.
    return null;
  }
}

/** The `Set-Cookie` that stores the session; with null, the one that deletes it. */
export function sessionCookie(core: Core, session: ConsentSession | null): string {
  const { seal, settings } = core;
  const value = session === null ? "" : seal.seal(JSON.stringify(session), CONTEXT).toString("base64url");
  const attributes = [
    "Path=/",
    `Max-Age=${session === null ? 0 : LIFETIME_SECONDS}`,
    "HttpOnly",
    "SameSite=Strict",
  ];
  if (isSecure(settings)) attributes.push("Secure");
  return [`${cookieName(core)}=${value}`, ...attributes].join("; ");
}

/** The CSRF value of this session's forms. */
export function formToken({ seal }: Core, { nonce }: ConsentSession): string {
  return createHmac("sha256", seal.derive("oauth consent form")).update(nonce).digest("base64url");
}

export function isFormToken(core: Core, session: ConsentSession, token: string): boolean {
  return isSame(token, formToken(core, session));
}
