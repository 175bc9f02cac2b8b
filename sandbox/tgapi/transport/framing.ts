import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** The framing of packets on a TCP connection (core.telegram.org/mtproto/mtproto-transports). */
export type Framing = "abridged" | "intermediate" | "padded" | "full";

/** The maximum size of a packet: a file part of 512 KB, and some room. */
const longest = 2 * 1024 * 1024;

/** A packet from the front of the bytes read so far, and the rest. */
export interface Cut {
  readonly packet: Buffer;
  readonly rest: Buffer;
}

/** Encodes and decodes packets. The full framing numbers packets and verifies checksums. */
export class Framer {
  readonly framing: Framing;
  #received = 0;
  #sent = 0;

  constructor(framing: Framing) {
    this.framing = framing;
  }

  /** The first packet, if it is complete. Throws if the framing is invalid. */
  cut(bytes: Buffer): Cut | undefined {
    const header = readHeader(this.framing, bytes);
    if (!header) return undefined;
    if (header.total > longest) throw new Error(`a packet of ${header.total} bytes`);
    if (bytes.length < header.total) return undefined;
    const whole = bytes.subarray(0, header.total);
    if (this.framing === "full") this.#checkFull(whole);
    return { packet: whole.subarray(header.start, header.end), rest: bytes.subarray(header.total) };
  }

  frame(packet: Uint8Array): Buffer {
    switch (this.framing) {
      case "abridged":
        return Buffer.concat([abridgedLength(packet.length / 4), packet]);
      case "intermediate":
        return Buffer.concat([uint32(packet.length), packet]);
      case "padded": {
        const padding = randomBytes(packet.length > 8 ? Math.floor(Math.random() * 16) : 0);
        return Buffer.concat([uint32(packet.length + padding.length), packet, padding]);
      }
      case "full": {
        const body = Buffer.concat([uint32(packet.length + 12), uint32(this.#sent++), packet]);
        return Buffer.concat([body, uint32(crc32(body))]);
      }
    }
  }

  #checkFull(whole: Buffer): void {
    const end = whole.length - 4;
    if (whole.readUInt32LE(end) !== crc32(whole.subarray(0, end))) throw new Error("a wrong checksum");
    if (whole.readUInt32LE(4) !== this.#received++) throw new Error("a wrong packet number");
  }
}

interface Header {
  readonly start: number;
  readonly end: number;
  readonly total: number;
}

function readHeader(framing: Framing, bytes: Buffer): Header | undefined {
  if (framing === "abridged") return readAbridged(bytes);
  if (bytes.length < 4) return undefined;
  const length = bytes.readUInt32LE(0);
  if (framing !== "full") return { start: 4, end: 4 + length, total: 4 + length };
  if (length < 12) throw new Error("a packet that is too short");
  return { start: 8, end: length - 4, total: length };
}

/** The length in words: one byte, or 0x7f and three bytes. The highest bit requests a quick acknowledgement. */
function readAbridged(bytes: Buffer): Header | undefined {
  const first = (bytes[0] ?? 0) & 0x7f;
  if (bytes.length < 1 || (first === 0x7f && bytes.length < 4)) return undefined;
  const start = first === 0x7f ? 4 : 1;
  const end = start + 4 * (first === 0x7f ? bytes.readUIntLE(1, 3) : first);
  return { start, end, total: end };
}

function abridgedLength(words: number): Buffer {
  if (words < 0x7f) return Buffer.from([words]);
  return Buffer.from([0x7f, words & 0xff, (words >> 8) & 0xff, (words >> 16) & 0xff]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}
