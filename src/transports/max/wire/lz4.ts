/** The compressed bytes are not LZ4, or decompress to more than was allowed. */
class BadLz4 extends Error {
  override readonly name = "BadLz4";
}

const MIN_MATCH = 4;
/** The block format: the last five bytes are literals, and the last match starts twelve bytes before the end or earlier. */
const LAST_LITERALS = 5;
const LAST_MATCH = 12;
const MAX_DISTANCE = 65_535;
const HASH_BITS = 14;

/** Compresses greedily to an LZ4 block without a frame (github.com/lz4/lz4, doc/lz4_Block_format.md). */
export function compress(source: Uint8Array): Uint8Array {
  const out = new Writer(source.length + Math.ceil(source.length / 255) + 16);
  // The last position of four bytes with this hash, plus one.
  const seen = new Int32Array(1 << HASH_BITS);
  let anchor = 0;
  for (let at = 0; at <= source.length - LAST_MATCH; ) {
    const hash = hashAt(source, at);
    const candidate = (seen[hash] ?? 0) - 1;
    seen[hash] = at + 1;
    const isNear = candidate >= 0 && at - candidate <= MAX_DISTANCE;
    const length = isNear ? matchLength(source, candidate, at) : 0;
    if (length < MIN_MATCH) {
      at++;
      continue;
    }
    out.sequence(source.subarray(anchor, at), { distance: at - candidate, length });
    at += length;
    anchor = at;
  }
  out.sequence(source.subarray(anchor), null);
  return out.bytes();
}

function hashAt(source: Uint8Array, at: number): number {
  const word =
    (source[at] ?? 0) |
    ((source[at + 1] ?? 0) << 8) |
    ((source[at + 2] ?? 0) << 16) |
    ((source[at + 3] ?? 0) << 24);
  return Math.imul(word, 2_654_435_761) >>> (32 - HASH_BITS);
}

function matchLength(source: Uint8Array, from: number, at: number): number {
  const limit = source.length - LAST_LITERALS - at;
  let length = 0;
  while (length < limit && source[from + length] === source[at + length]) length++;
  return length;
}

class Writer {
  readonly #buffer: Uint8Array;
  #at = 0;

  constructor(size: number) {
    this.#buffer = new Uint8Array(size);
  }

  /** Literals, then a match; the last sequence has none. */
  sequence(literals: Uint8Array, match: { readonly distance: number; readonly length: number } | null): void {
    const extra = match === null ? 0 : match.length - MIN_MATCH;
    this.#byte((Math.min(literals.length, 15) << 4) | Math.min(extra, 15));
    this.#rest(literals.length);
    this.#buffer.set(literals, this.#at);
    this.#at += literals.length;
    if (match === null) return;
    this.#byte(match.distance & 255);
    this.#byte(match.distance >> 8);
    this.#rest(extra);
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#at);
  }

  #rest(length: number): void {
    let rest = length - 15;
    if (rest < 0) return;
    for (; rest >= 255; rest -= 255) this.#byte(255);
    this.#byte(rest);
  }

  #byte(value: number): void {
    this.#buffer[this.#at++] = value;
  }
}

/** Decompresses a block to at most `limit` bytes; otherwise throws `BadLz4`. Its time is bounded by both lengths. */
export function decompress(block: Uint8Array, limit: number): Uint8Array {
  const out = new Uint8Array(limit);
  let [from, to] = [0, 0];
  const next = (): number => {
    const byte = block[from++];
    if (byte === undefined) throw new BadLz4("The block ends too early");
    return byte;
  };
  const lengthOf = (nibble: number): number => {
    let length = nibble;
    for (let more = nibble === 15; more; ) {
      const byte = next();
      length += byte;
      more = byte === 255;
    }
    return length;
  };
  while (from < block.length) {
    const token = next();
    const literals = lengthOf(token >> 4);
    if (from + literals > block.length) throw new BadLz4("The block ends within its literals");
    if (to + literals > limit) throw new BadLz4("The block is larger than it declares");
    out.set(block.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from === block.length) return out.subarray(0, to);
    const distance = next() | (next() << 8);
    if (distance === 0 || distance > to) throw new BadLz4("A match lies outside of the block");
    const length = lengthOf(token & 15) + MIN_MATCH;
    if (to + length > limit) throw new BadLz4("The block is larger than it declares");
    copyMatch(out, to, { distance, length });
    to += length;
  }
  throw new BadLz4("The block ends without literals");
}

/** A match may overlap its own output; its bytes are then repeated. */
function copyMatch(
  out: Uint8Array,
  to: number,
  { distance, length }: { readonly distance: number; readonly length: number },
): void {
  if (distance >= length) out.copyWithin(to, to - distance, to - distance + length);
  else for (let index = 0; index < length; index++) out[to + index] = out[to + index - distance] ?? 0;
}
