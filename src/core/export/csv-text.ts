import { toCrLf } from "./cr-lf.ts";

/** Initial capacity. Memory is used only once it is written to. */
const BUFFER_BYTES = 12 * 1024 * 1024;
const MAX_BYTES = 24 * 1024 * 1024;

/** The text has reached the maximum size in memory. */
export class CsvTextFull extends Error {
  override readonly name = "CsvTextFull";
  constructor() {
    super(`More than ${MAX_BYTES} bytes of an export at a time`);
  }
}

/** CSV collected in one reusable block of memory. */
export class CsvText {
  #block: Buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #state = { at: 0, isQuoted: false };
  /** The number of messages in it. */
  messages = 0;

  /** Discards the content and starts with `head`. */
  begin(head: Buffer): void {
    this.#reserve(head.length);
    this.#state = { at: head.copy(this.#block), isQuoted: false };
    this.messages = 0;
  }

  /** Bytes. */
  get length(): number {
    return this.#state.at;
  }

  /** Discards everything after this length. */
  cut(length: number, messages: number): void {
    this.#state = { at: length, isQuoted: false };
    this.messages = messages;
  }

  /** Adds a chunk of a page, as written by COPY. Throws `CsvTextFull`. */
  add(piece: Buffer): void {
    this.#reserve(this.length + 2 * piece.length);
    this.#state = toCrLf(piece, { to: this.#block, ...this.#state });
  }

  /** Valid until the next `begin` or `add`. */
  bytes(): Buffer {
    return this.#block.subarray(0, this.length);
  }

  #reserve(bytes: number): void {
    if (bytes > MAX_BYTES) throw new CsvTextFull();
    if (bytes <= this.#block.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#block.length));
    this.#block.copy(larger, 0, 0, this.length);
    this.#block = larger;
  }
}
