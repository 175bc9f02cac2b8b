/**
 * The bytes before a client's first frame: "WA", protocol 6, dictionary 3. They are the prologue of the handshake.
 */
export const intro = Buffer.from([0x57, 0x41, 0x06, 0x03]);
const routingMark = Buffer.from([0x45, 0x44, 0x00, 0x01]);
const headBytes = 3;

/** Splits received bytes into frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  #introduced = false;
  /** The routing data of a reconnect (`ED 00 01`), if there is any. */
  routing: Buffer | undefined;

  /** The complete frames received so far; throws if the stream starts differently. */
  push(bytes: Buffer): Buffer[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (!this.#introduced && !this.#takeIntro()) return [];
    const frames: Buffer[] = [];
    while (this.#rest.length >= headBytes) {
      const size = this.#rest.readUIntBE(0, headBytes);
      if (this.#rest.length < headBytes + size) break;
      frames.push(this.#rest.subarray(headBytes, headBytes + size));
      this.#rest = this.#rest.subarray(headBytes + size);
    }
    return frames;
  }

  #takeIntro(): boolean {
    let at = 0;
    if (this.#rest.subarray(0, 2).equals(routingMark.subarray(0, 2))) {
      if (this.#rest.length < routingMark.length + headBytes) return false;
      if (!this.#rest.subarray(0, 4).equals(routingMark)) throw new Error("malformed routing prefix");
      at = routingMark.length + headBytes + this.#rest.readUIntBE(routingMark.length, headBytes);
      if (this.#rest.length >= at) this.routing = this.#rest.subarray(routingMark.length + headBytes, at);
    }
    if (this.#rest.length < at + intro.length) return false;
    if (!this.#rest.subarray(at, at + intro.length).equals(intro))
      throw new Error("the stream must begin with WA");
    this.#rest = this.#rest.subarray(at + intro.length);
    this.#introduced = true;
    return true;
  }
}

/** A frame: its length in three bytes, big-endian, and the content. */
export function frame(content: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUIntBE(content.length, 0, headBytes);
  return Buffer.concat([head, content]);
}
