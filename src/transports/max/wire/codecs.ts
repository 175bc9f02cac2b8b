import { binaryCodec } from "./binary-codec.ts";
import type { Codec } from "./frame.ts";
import { jsonCodec } from "./json-codec.ts";

/** By the setting `MAX_CODEC`; anything but `json` is the present framing. */
export function codecOf(name: string): Codec {
  return name.trim().toLowerCase() === "json" ? jsonCodec : binaryCodec;
}
