import { decode, Encoder, ExtData, ExtensionCodec, encode } from "@msgpack/msgpack";
import { BadFrame, type Codec, type Header, MAX_PACKET_BYTES, type Packet } from "./frame.ts";
import { compress, decompress } from "./lz4.ts";

const VERSION = 10;
const HEADER_BYTES = 10;
/** Shorter payloads are not compressed. */
const COMPRESSED_FROM = 32;
/** Presumably another compression; it has never been observed. */
const ZSTD = 0xff;
/** The MessagePack extension type of 64-bit ids; its data is an encoded integer. */
const LONG = 1;
/** The maximum nesting depth of a payload; MAX's own payloads are about ten levels deep. */
const MAX_DEPTH = 100;

const extensions = new ExtensionCodec();
extensions.register({
  type: LONG,
  encode: () => null,
  decode: (data) => decode(data, { useBigInt64: true }),
});

/** Map keys may be ids of people, so all keys become strings. */
const READING = { extensionCodec: extensions, useBigInt64: true, mapKeyConverter: String };

/**
 * The framing of the web client since 2026: a big-endian header of ten bytes (version, cmd, seq, opcode, flags and
 * length), then MessagePack, compressed as an LZ4 block if flags are not 0. Flags are the maximum compression ratio.
 */
export const binaryCodec: Codec = {
  encode({ cmd, seq, opcode, payload }) {
    const { flags, body } = pack(payload);
    if (body.length > 0xff_ff_ff) throw new BadFrame("The payload is too long for a frame");
    const packet = Buffer.allocUnsafe(HEADER_BYTES + body.length);
    packet[0] = VERSION;
    packet[1] = cmd;
    packet.writeUInt16BE(seq, 2);
    packet.writeUInt16BE(opcode, 4);
    packet.writeUInt32BE(flags * 0x1_00_00_00 + body.length, 6);
    packet.set(body, HEADER_BYTES);
    return packet;
  },
  decode(packet) {
    const bytes = bytesOf(packet);
    const header = { cmd: bytes.readUInt8(1), seq: bytes.readUInt16BE(2), opcode: bytes.readUInt16BE(4) };
    const sizes = bytes.readUInt32BE(6);
    const body = bytes.subarray(HEADER_BYTES);
    if (body.length !== (sizes & 0xff_ff_ff))
      throw new BadFrame("The frame's length differs from its header");
    return { ...header, payload: unpack(body, sizes >>> 24, header) };
  },
};

function bytesOf(packet: Packet): Buffer {
  if (typeof packet === "string") throw new BadFrame("A text message instead of a binary frame");
  const bytes = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
  if (bytes.length < HEADER_BYTES) throw new BadFrame("The frame is shorter than its header");
  if (bytes[0] !== VERSION) throw new BadFrame(`A frame of version ${bytes[0]}`);
  return bytes;
}

function pack(payload: unknown): { readonly flags: number; readonly body: Uint8Array } {
  if (isEmpty(payload)) return { flags: 0, body: new Uint8Array() };
  const raw = new Encoder({
    extensionCodec: extensions,
    useBigInt64: true,
    ignoreUndefined: true,
  }).encode(toWire(payload));
  if (raw.length < COMPRESSED_FROM) return { flags: 0, body: raw };
  const body = compress(raw);
  const flags = Math.ceil(raw.length / body.length);
  // Receivers allocate `flags` times the length; a payload with a larger ratio is not compressed.
  return flags < ZSTD ? { flags, body } : { flags: 0, body: raw };
}

function isEmpty(payload: unknown): boolean {
  return typeof payload !== "object" || payload === null || Object.keys(payload).length === 0;
}

/** Converts longer integers to bigint: otherwise they would be encoded as floats, which MAX rejects. */
function toWire(value: unknown): unknown {
  if (typeof value === "number") return isLong(value) ? BigInt(value) : value;
  if (typeof value === "bigint") return toWireBigint(value);
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toWire(item)]));
}

function toWireBigint(value: bigint): unknown {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) return new ExtData(LONG, encode(value, { useBigInt64: true }));
  return isLong(number) ? value : number;
}

function isLong(value: number): boolean {
  return Number.isSafeInteger(value) && (value > 0xff_ff_ff_ff || value < -0x80_00_00_00);
}

function unpack(body: Uint8Array, flags: number, header: Header): unknown {
  if (body.length === 0) return null;
  try {
    if (flags === ZSTD) throw new Error("The payload has an unknown compression");
    const limit = Math.min(flags * body.length, MAX_PACKET_BYTES);
    const raw = flags === 0 ? body : decompress(body, limit);
    return fromWire(decode(raw, READING), 0);
  } catch (cause) {
    throw new BadFrame("The frame's payload cannot be read", { header, cause });
  }
}

function fromWire(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new Error("The payload is nested too deeply");
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (Array.isArray(value)) return value.map((item) => fromWire(item, depth + 1));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (value instanceof ExtData || value instanceof Date) return null;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromWire(item, depth + 1)]));
}
