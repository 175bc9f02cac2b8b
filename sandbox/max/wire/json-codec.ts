import { isRecord } from "../../http/fields.ts";
import { BadPayload, BrokenFrame, type Codec, type Frame } from "./frame.ts";

/** The field `ver` of every frame. */
const jsonVersion = 11;
const maxDepth = 64;
const fields = new Set(["ver", "cmd", "seq", "opcode", "payload"]);

/** The text frames of the web client until 2026: the same fields and payloads as JSON; long ids are strings. */
export const jsonCodec: Codec = {
  name: "json",
  encode: ({ cmd, seq, opcode, payload }) =>
    JSON.stringify({ ver: jsonVersion, cmd, seq, opcode, payload }, replaceForeign),
  decode: readFrame,
};

function replaceForeign(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value;
}

function readFrame(data: Buffer): Frame {
  const frame = parse(data.toString());
  if (!isRecord(frame)) throw new BrokenFrame("a frame must be an object");
  const strange = Object.keys(frame).find((name) => !fields.has(name));
  if (strange !== undefined) throw new BrokenFrame(`unknown field ${strange}`);
  const { ver, cmd, seq, opcode, payload } = frame;
  if (ver !== jsonVersion) throw new BrokenFrame(`version ${String(ver)}`);
  const header = { cmd: need("cmd", cmd), seq: need("seq", seq), opcode: need("opcode", opcode) };
  if (payload === undefined || payload === null) return { ...header, payload: undefined };
  const fault = faultOf(payload, 0);
  if (fault !== undefined) throw new BadPayload(header, fault);
  return { ...header, payload };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BrokenFrame("not JSON");
  }
}

function need(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new BrokenFrame(`${name} must be a whole number`);
}

/** Numbers that have already lost digits, and nesting deeper than any payload. */
function faultOf(value: unknown, depth: number): string | undefined {
  if (depth > maxDepth) return "nested too deeply";
  if (typeof value === "number")
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? "a number beyond 2^53" : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const item of Object.values(value)) {
    const fault = faultOf(item, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
