import { randomBytes, randomInt } from "node:crypto";
import { bareKey, generateKeyPair, type KeyPair, typedKey } from "../crypto/x25519.ts";
import { sign, verify } from "../crypto/xeddsa.ts";
import { type Chain, decryptGroupText, encryptGroupText, skipTo, stepChain } from "./chain.ts";
import { encodeFields, FieldReader } from "./fields.ts";
import { checkVersion, versionByte } from "./message.ts";
import { ReadBefore } from "./session.ts";

const signatureBytes = 64;

/** A member's sender key in a group: one chain for all, and a signing key. */
export class SenderKey {
  readonly id = randomInt(1, 2 ** 31 - 1);
  readonly #signing: KeyPair = generateKeyPair();
  #chain: Chain = { key: randomBytes(32), next: 0 };

  /** The distribution message, which every device of the group must get, encrypted, before it can decrypt. */
  distribution(): Buffer {
    const fields = encodeFields([
      [1, this.id],
      [2, this.#chain.next],
      [3, this.#chain.key],
      [4, typedKey(this.#signing.publicKey)],
    ]);
    return Buffer.concat([versionByte, fields]);
  }

  encrypt(plain: Uint8Array): Buffer {
    const { seed, chain } = stepChain(this.#chain);
    const fields = encodeFields([
      [1, this.id],
      [2, this.#chain.next],
      [3, encryptGroupText(seed, plain)],
    ]);
    this.#chain = chain;
    const signed = Buffer.concat([versionByte, fields]);
    return Buffer.concat([signed, sign(this.#signing.privateKey, signed)]);
  }
}

interface Received {
  readonly signingKey: Buffer;
  readonly chain: Chain;
  readonly skipped: Map<number, Buffer>;
}

/** The sender keys that a device received, by group and author. */
export class SenderKeyRing {
  readonly #keys = new Map<string, Map<number, Received>>();

  /** Processes a distribution message. `name`: whose key in which group. */
  accept(name: string, wire: Uint8Array): void {
    const fields = new FieldReader(checkVersion(wire).subarray(1));
    const received = {
      signingKey: bareKey(fields.bytes(4)),
      chain: { key: Buffer.from(fields.bytes(3)), next: fields.number(2) ?? 0 },
      skipped: new Map<number, Buffer>(),
    };
    const ring = this.#keys.get(name) ?? new Map<number, Received>();
    const known = ring.get(fields.number(1) ?? 0);
    // A repeated key must not make messages decryptable again.
    if (!known || known.chain.next < received.chain.next) ring.set(fields.number(1) ?? 0, received);
    this.#keys.set(name, ring);
  }

  /** Throws for an unknown key, a wrong signature, and a repeated message. */
  decrypt(name: string, wire: Uint8Array): Buffer {
    const bytes = checkVersion(wire);
    const signed = bytes.subarray(0, -signatureBytes);
    const fields = new FieldReader(signed.subarray(1));
    const id = fields.number(1) ?? 0;
    const received = this.#keys.get(name)?.get(id);
    if (!received) throw new Error("no sender key");
    if (!verify(received.signingKey, signed, bytes.subarray(-signatureBytes)))
      throw new Error("bad signature of a group message");
    const { seed, after } = takeSeed(received, fields.number(2) ?? 0);
    const plain = decryptGroupText(seed, fields.bytes(3));
    this.#keys.get(name)?.set(id, after);
    return plain;
  }

  forget(): void {
    this.#keys.clear();
  }
}

function takeSeed(received: Received, counter: number): { seed: Buffer; after: Received } {
  const skipped = new Map(received.skipped);
  if (counter < received.chain.next) {
    const seed = skipped.get(counter);
    if (!seed) throw new ReadBefore();
    skipped.delete(counter);
    return { seed, after: { ...received, skipped } };
  }
  const passed = skipTo(received.chain, counter);
  const { seed, chain } = stepChain(passed.chain);
  return { seed, after: { ...received, chain, skipped: new Map([...skipped, ...passed.skipped]) } };
}
