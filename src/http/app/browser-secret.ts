import type { FastifyReply } from "fastify";
import type { Core } from "../../core/core.ts";
import { newSecret } from "../../platform/ids.ts";

/** A sign-in lasts no longer. */
const LIFETIME_SECONDS = 3_600;
const BYTES = 32;

/** Like that of the console: over https only this exact host can set it; over http there is one per port. */
function cookieName({ settings }: Core): string {
  const { protocol, port } = new URL(settings.publicUrl);
  return protocol === "https:" ? "__Host-trunkline-sign-in" : `trunkline-sign-in-${port || "80"}`;
}

/** The secret of the browser that went to a messenger to sign in; null if this one did not. */
export function browserSecret(core: Core, header = ""): string | null {
  const name = `${cookieName(core)}=`;
  const found = header.split(/; */).find((each) => each.startsWith(name));
  return found === undefined || found.length === name.length ? null : found.slice(name.length);
}

/**
 * Gives the browser a secret, which proves after the messenger's redirect that it is the one that left. Several
 * sign-ins of a browser share it. Other sites cannot cause it to be sent, nor can scripts read it.
 */
export function keepBrowserSecret(
  core: Core,
  header: string | undefined,
  reply: Pick<FastifyReply, "header">,
): string {
  const secret = browserSecret(core, header) ?? newSecret(BYTES);
  const secure = core.settings.publicUrl.startsWith("https:") ? "; Secure" : "";
  reply.header(
    "set-cookie",
    `${cookieName(core)}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${LIFETIME_SECONDS}${secure}`,
  );
  return secret;
}
