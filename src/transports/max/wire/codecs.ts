import { binaryCodec } from "./binary-codec.ts";
import type { Codec } from "./frame.ts";
import { jsonCodec } from "./json-codec.ts";

/** The codec for the setting `MAX_CODEC`; any value except `json` selects the current framing. */
export function codecOf(name: string): Codec {
  return name.trim().toLowerCase() === "json" ? jsonCodec : binaryCodec;
}
