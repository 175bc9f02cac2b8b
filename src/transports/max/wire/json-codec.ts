import { parseBounded } from "../../../platform/foreign/bounded-json.ts";
import { count, fields, number, text } from "../../../platform/foreign/foreign-json.ts";
import { BadFrame, type Codec, type Packet } from "./frame.ts";

const VERSION = 11;
/** The maximum number of values in a payload, because the memory of parsed JSON depends on it. */
const MAX_VALUES = 1_000_000;

const header = fields({ ver: number, cmd: count, seq: count, opcode: count });

/** The framing of the web client until 2026: one JSON object per text message. Long ids are decoded as strings. */
export const jsonCodec: Codec = {
  encode: ({ cmd, seq, opcode, payload }) =>
    JSON.stringify({ ver: VERSION, cmd, seq, opcode, payload }, (_key, value: unknown) =>
      typeof value === "bigint" ? toJson(value) : value,
    ),
  decode(packet) {
    const parsed = parse(packet);
    const { ver, cmd, seq, opcode } = header(parsed) ?? {};
    if (ver === undefined || cmd === undefined || seq === undefined || opcode === undefined)
      throw new BadFrame("The text is not a frame");
    const { payload = null } = parsed as { payload?: unknown };
    return { cmd, seq, opcode, payload };
  },
};

function toJson(value: bigint): number | string {
  const safe = Number(value);
  return Number.isSafeInteger(safe) ? safe : String(value);
}

function parse(packet: Packet): unknown {
  const written = typeof packet === "string" ? text(packet) : undefined;
  if (written === undefined) throw new BadFrame("A binary frame instead of a text message");
  try {
    return parseBounded(written, MAX_VALUES);
  } catch (cause) {
    throw new BadFrame("The text is not JSON", { cause });
  }
}
