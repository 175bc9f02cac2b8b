import { BadBody, decodeBody, encodeBody, type IdWrapping } from "./body.ts";
import { BadPayload, BrokenFrame, type Codec, type Frame, type FrameHeader } from "./frame.ts";
import { BadBlock, compressBlock, decompressBlock } from "./lz4.ts";

/** The version in the first byte of a frame. */
const binaryVersion = 10;
export const headerBytes = 10;
/** Bodies of at least this length are compressed. */
const compressFrom = 32;
/** The maximum size of a decompressed body, whatever its header allows. */
const maxBodyBytes = 4 * 1024 * 1024;
const maxLength = 0xff_ffff;
/** Would mean zstd, which no known client uses. */
const zstdFlag = 0xff;

/**
 * The frames of the web client since 2026: ten bytes (version, cmd, seq, opcode, then flags << 24 | length, all
 * big-endian) before a body of MessagePack, which is an LZ4 block where `flags` is not 0. `flags` times the length
 * bounds what the block holds.
 */
export function binaryCodec(wrapping: () => IdWrapping): Codec {
  return {
    name: "binary",
    encode: ({ payload, ...header }) => {
      const raw = payload === undefined ? new Uint8Array(0) : encodeBody(payload, wrapping());
      const { flags, body } = pack(raw);
      return writeFrame({ ...header, flags, body });
    },
    decode: readFrame,
  };
}

/** A frame from its parts, which may be inconsistent. */
export function writeFrame(parts: FrameHeader & { flags: number; body: Uint8Array }): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(binaryVersion, 0);
  header.writeUInt8(parts.cmd, 1);
  header.writeUInt16BE(parts.seq & 0xffff, 2);
  header.writeUInt16BE(parts.opcode, 4);
  header.writeUInt32BE(((parts.flags << 24) | parts.body.length) >>> 0, 6);
  return Buffer.concat([header, parts.body]);
}

/** A ratio that would mean zstd, or a body longer than 24 bits can express, cannot be written compressed. */
function pack(raw: Uint8Array): { flags: number; body: Uint8Array } {
  if (raw.length < compressFrom) return { flags: 0, body: raw };
  const body = compressBlock(raw);
  const flags = Math.ceil(raw.length / body.length);
  return flags < zstdFlag && body.length <= maxLength ? { flags, body } : { flags: 0, body: raw };
}

function readFrame(data: Buffer): Frame {
  if (data.length < headerBytes) throw new BrokenFrame(`a frame of ${data.length} bytes`);
  if (data.readUInt8(0) !== binaryVersion) throw new BrokenFrame(`version ${data.readUInt8(0)}`);
  const packed = data.readUInt32BE(6);
  const [flags, length] = [packed >>> 24, packed & maxLength];
  const body = data.subarray(headerBytes);
  if (body.length !== length) throw new BrokenFrame(`${body.length} bytes where ${length} were announced`);
  const header = { cmd: data.readUInt8(1), seq: data.readUInt16BE(2), opcode: data.readUInt16BE(4) };
  return { ...header, payload: readBody(header, flags, body) };
}

function readBody(header: FrameHeader, flags: number, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (flags === zstdFlag) throw new BadPayload(header, "compressed with zstd");
  try {
    if (flags === 0) return decodeBody(body);
    return decodeBody(decompressBlock(body, Math.min(flags * body.length, maxBodyBytes)));
  } catch (error) {
    if (error instanceof BadBody || error instanceof BadBlock) throw new BadPayload(header, error.message);
    throw error;
  }
}
