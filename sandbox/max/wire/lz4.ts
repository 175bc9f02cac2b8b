/**
 * The LZ4 block format without a frame around it:
 * https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
 */

const minMatch = 4;
/** The last match starts at least this many bytes before the end, and the last five bytes are literals. */
const lastMatchMargin = 12;
const lastLiterals = 5;
const maxOffset = 0xffff;
/** The maximum of a token's nibble; longer lengths continue in further bytes. */
const nibble = 15;

/** The block is truncated, refers to bytes before its start, or exceeds the limit. */
export class BadBlock extends Error {}

/** Compresses greedily. The result exceeds `source` by at most 1/255 plus 16 bytes. */
export function compressBlock(source: Uint8Array): Buffer {
  const writer = new BlockWriter(source);
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const seen = new Map<number, number>();
  let at = 0;
  while (at < source.length - lastMatchMargin) {
    const key = view.getUint32(at);
    const candidate = seen.get(key);
    seen.set(key, at);
    if (candidate === undefined || at - candidate > maxOffset) at++;
    else at = writer.match(at, candidate);
  }
  return writer.finish();
}

class BlockWriter {
  readonly #source: Uint8Array;
  readonly #out: Buffer;
  #length = 0;
  /** Start of the literals that are not written yet. */
  #anchor = 0;

  constructor(source: Uint8Array) {
    this.#source = source;
    this.#out = Buffer.alloc(source.length + Math.ceil(source.length / 255) + 16);
  }

  /** Writes the literals before `at` and the match that starts there; returns the end of the match. */
  match(at: number, candidate: number): number {
    const source = this.#source;
    let end = at + minMatch;
    while (end < source.length - lastLiterals && source[end - at + candidate] === source[end]) end++;
    this.#sequence(at, end - at - minMatch);
    this.#length = this.#out.writeUInt16LE(at - candidate, this.#length);
    this.#rest(end - at - minMatch);
    this.#anchor = end;
    return end;
  }

  finish(): Buffer {
    this.#sequence(this.#source.length, 0);
    return this.#out.subarray(0, this.#length);
  }

  #sequence(literalEnd: number, matchExtra: number): void {
    const literals = literalEnd - this.#anchor;
    this.#out[this.#length++] = (Math.min(literals, nibble) << 4) | Math.min(matchExtra, nibble);
    this.#rest(literals);
    this.#out.set(this.#source.subarray(this.#anchor, literalEnd), this.#length);
    this.#length += literals;
  }

  /** The part of a length that exceeds its nibble. */
  #rest(length: number): void {
    let left = length - nibble;
    for (; left >= 255; left -= 255) this.#out[this.#length++] = 255;
    if (left >= 0) this.#out[this.#length++] = left;
  }
}

/** Decompresses to at most `maxBytes`; throws `BadBlock` for anything but a whole block. */
export function decompressBlock(source: Uint8Array, maxBytes: number): Buffer {
  const reader = new BlockReader(source, maxBytes);
  while (reader.sequence());
  return reader.bytes();
}

class BlockReader {
  readonly #source: Uint8Array;
  readonly #maxBytes: number;
  /** Grows on demand: the declared size comes from the sender and may be far larger than the content. */
  #out: Buffer;
  #length = 0;
  #at = 0;

  constructor(source: Uint8Array, maxBytes: number) {
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#out = Buffer.alloc(Math.min(maxBytes, Math.max(64, source.length * 4)));
  }

  bytes(): Buffer {
    return this.#out.subarray(0, this.#length);
  }

  /** Reads literals and a match; false after the last sequence, which has no match. */
  sequence(): boolean {
    const token = this.#byte();
    this.#literals(this.#lengthFrom(token >> 4));
    if (this.#at === this.#source.length) return false;
    const offset = this.#byte() | (this.#byte() << 8);
    this.#copy(offset, this.#lengthFrom(token & nibble) + minMatch);
    return true;
  }

  #byte(): number {
    const byte = this.#source[this.#at++];
    if (byte === undefined) throw new BadBlock("the block is cut short");
    return byte;
  }

  #lengthFrom(start: number): number {
    if (start < nibble) return start;
    let length = start;
    for (let byte = 255; byte === 255; length += byte) byte = this.#byte();
    return length;
  }

  #literals(length: number): void {
    if (this.#at + length > this.#source.length) throw new BadBlock("the block is cut short");
    this.#reserve(length);
    this.#out.set(this.#source.subarray(this.#at, this.#at + length), this.#length);
    this.#at += length;
    this.#length += length;
  }

  /** Copies from the output; if the offset is below the length, the copy repeats itself. */
  #copy(offset: number, length: number): void {
    if (offset === 0 || offset > this.#length) throw new BadBlock("a match begins before the block");
    this.#reserve(length);
    for (const end = this.#length + length; this.#length < end; this.#length++)
      this.#out[this.#length] = this.#out[this.#length - offset] ?? 0;
  }

  #reserve(length: number): void {
    const needed = this.#length + length;
    if (needed > this.#maxBytes) throw new BadBlock(`the block holds more than ${this.#maxBytes} bytes`);
    if (needed <= this.#out.length) return;
    const larger = Buffer.alloc(Math.min(this.#maxBytes, Math.max(needed, this.#out.length * 2)));
    this.#out.copy(larger, 0, 0, this.#length);
    this.#out = larger;
  }
}
