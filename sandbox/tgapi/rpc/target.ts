import type { tl } from "@mtcute/core";
import type { TlObject } from "../tl/value.ts";
import type { Call } from "./call.ts";
import { resolvePeer } from "./peer.ts";

/** The recipient of a call, in the admin API's format; undefined if it has none. */
export function targetOf(call: Call, request: TlObject): string | undefined {
  const { peer } = request as TlObject & { readonly peer?: tl.TypeInputPeer };
  if (peer === undefined || typeof peer !== "object") return undefined;
  try {
    return call.world.nameOfPeer(resolvePeer(call, peer)) ?? undefined;
  } catch {
    return undefined;
  }
}
