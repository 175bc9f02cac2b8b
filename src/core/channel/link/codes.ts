import { isSame } from "../../../platform/same.ts";
import type { Base } from "../../base.ts";

/**
 * Codes that a messenger passes through, for example as the parameter of a deep link, and that identify a channel. A
 * claim code is valid once: it depends on the channel's stored credentials. An invitation code does not change. They
 * contain only letters, digits, - and _.
 */
export interface ChannelCodes {
  readonly claim: string;
  readonly invitation: string;
}

type Seal = Pick<Base, "seal">;

export function codesOf(core: Seal, channelId: string, sealedCredentials: Uint8Array): ChannelCodes {
  return {
    claim: codeFor("c", channelId, macOf(core, channelId, sealedCredentials)),
    invitation: codeFor("i", channelId, macOf(core, channelId, null)),
  };
}

/** The content of a code; null for other texts. `isGenuine` verifies it. */
export function readCode(
  code: string,
): { readonly kind: "claim" | "invitation"; readonly channelId: string } | null {
  const [, kind, id = ""] = /^([ci])([\w-]{22})[\w-]{22}$/.exec(code) ?? [];
  if (kind === undefined) return null;
  const hex = Buffer.from(id, "base64url").toString("hex");
  const channelId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { kind: kind === "c" ? "claim" : "invitation", channelId };
}

export function isGenuine(core: Seal, code: string, sealedCredentials: Uint8Array): boolean {
  const read = readCode(code);
  if (read === null) return false;
  return isSame(code, codesOf(core, read.channelId, sealedCredentials)[read.kind]);
}

function macOf({ seal }: Seal, channelId: string, sealedCredentials: Uint8Array | null): Uint8Array {
  const about = sealedCredentials === null ? [] : [Buffer.from(sealedCredentials).toString("base64")];
  return seal
    .derive(sealedCredentials === null ? "invitation" : "claim", channelId, ...about)
    .subarray(0, 16);
}

function codeFor(kind: "c" | "i", channelId: string, mac: Uint8Array): string {
  const id = Buffer.from(channelId.replaceAll("-", ""), "hex").toString("base64url");
  return kind + id + Buffer.from(mac).toString("base64url");
}
