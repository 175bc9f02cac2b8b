import { createHmac, timingSafeEqual } from "node:crypto";
import type { Core } from "../../../core/core.ts";
import { newSecret } from "../../../platform/ids.ts";

/** Who sits in front of the consent page, as a sealed cookie that no other site can send along. */
export interface ConsentSession {
  /** Belongs to this cookie alone; its forms carry a value made from it. */
  readonly nonce: string;
  /** Whose account, and with which token they proved it; null before. */
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
 * Under https browsers take a cookie of this name from this very host alone: else a neighbour below the same domain could
 * plant a session of another account, and the person would let the application use that one.
 */
function cookieName({ settings }: Core): string {
  return isSecure(settings) ? `__Host-${COOKIE}` : COOKIE;
}

function isSecure({ publicUrl }: Core["settings"]): boolean {
  return publicUrl.startsWith("https:");
}

/** The session of a `Cookie` header; null when there is none, or not any more. */
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
    // Of another installation, or made up.
    return null;
  }
}

/** The `Set-Cookie` that keeps the session; with null, the one that ends it. */
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

/** What a form of this session carries, so that no other page can send one in its place. */
export function formToken({ seal }: Core, { nonce }: ConsentSession): string {
  return createHmac("sha256", seal.derive("oauth consent form")).update(nonce).digest("base64url");
}

export function isFormToken(core: Core, session: ConsentSession, token: string): boolean {
  const expected = Buffer.from(formToken(core, session));
  const actual = Buffer.from(token);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
