import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from "node:crypto";
import { Framer, type Framing } from "./framing.ts";

const initLength = 64;

/** The byte stream of one connection: detects the framing, removes the obfuscation, and splits packets. */
export class Wire {
  #unread: Buffer = Buffer.alloc(0);
  #framer: Framer | undefined;
  #incoming: Decipheriv | undefined;
  #outgoing: Cipheriv | undefined;

  /** Takes received bytes and returns the complete packets. Throws if the stream is invalid. */
  read(bytes: Buffer): Buffer[] {
    const open = this.#incoming ? this.#incoming.update(bytes) : bytes;
    this.#unread = this.#unread.length === 0 ? open : Buffer.concat([this.#unread, open]);
    this.#framer ??= this.#detect();
    const packets: Buffer[] = [];
    for (let cut = this.#framer?.cut(this.#unread); cut; cut = this.#framer?.cut(this.#unread)) {
      this.#unread = cut.rest;
      packets.push(cut.packet);
    }
    return packets;
  }

  /** The bytes to send for a packet. */
  write(packet: Uint8Array): Buffer {
    if (!this.#framer) throw new Error("nothing was read yet");
    const framed = this.#framer.frame(packet);
    return this.#outgoing ? this.#outgoing.update(framed) : framed;
  }

  /** For example `obfuscated intermediate`; undefined before the client's first bytes. */
  get describe(): string | undefined {
    return this.#framer && `${this.#incoming ? "obfuscated " : ""}${this.#framer.framing}`;
  }

  #detect(): Framer | undefined {
    if (this.#unread[0] === 0xef) return this.#begin("abridged", 1);
    if (this.#unread.length < 8) return undefined;
    const first = this.#unread.readUInt32LE(0);
    if (first === 0xeeeeeeee) return this.#begin("intermediate", 4);
    if (first === 0xdddddddd) return this.#begin("padded", 4);
    if (this.#unread.readUInt32LE(4) === 0) return this.#begin("full", 0);
    if (this.#unread.length < initLength) return undefined;
    return this.#deobfuscate(this.#unread.subarray(0, initLength));
  }

  #begin(framing: Framing, skip: number): Framer {
    this.#unread = this.#unread.subarray(skip);
    return new Framer(framing);
  }

  /** The first 64 bytes contain the keys of both directions and, encrypted with them, the framing. */
  #deobfuscate(init: Buffer): Framer {
    const reversed = Buffer.from(init.subarray(8, 56)).reverse();
    this.#incoming = createDecipheriv("aes-256-ctr", init.subarray(8, 40), init.subarray(40, 56));
    this.#outgoing = createCipheriv("aes-256-ctr", reversed.subarray(0, 32), reversed.subarray(32, 48));
    const tag = this.#incoming.update(init).readUInt32LE(56);
    this.#unread = this.#incoming.update(this.#unread.subarray(initLength));
    if (tag === 0xefefefef) return new Framer("abridged");
    if (tag === 0xeeeeeeee) return new Framer("intermediate");
    if (tag === 0xdddddddd) return new Framer("padded");
    throw new Error(`an unknown framing ${tag.toString(16)}`);
  }
}
