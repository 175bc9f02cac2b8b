import { randomBytes } from "node:crypto";
import type { mtp } from "@mtcute/core";
import Long from "long";
import { modPow, toBig, toBytes } from "../crypto/big.ts";
import { dhGenerator, dhPrime, groupBytes, isSafeShared, makeDhPair } from "../crypto/group.ts";
import { sha1, xor } from "../crypto/hash.ts";
import { decryptIge, encryptIge, type IgeKey } from "../crypto/ige.ts";
import { openRsa, serverKeyFingerprint } from "../crypto/server-key.ts";
import { TlReader } from "../tl/reader.ts";
import { currentSchema } from "../tl/schema.ts";
import type { TlObject } from "../tl/value.ts";
import { encode } from "../tl/writer.ts";

/** A product of two 31-bit primes, as servers send it. */
const [p, q] = [1_229_739_323n, 1_402_015_859n];
const pq = toBytes(p * q, 8);

/** The forgeries that the emulator can insert into a key exchange. */
export type HandshakeForgery =
  | "fingerprint"
  | "nonce"
  | "g_a"
  | "answer_hash"
  | "dh_prime"
  | "new_nonce_hash";

/** The dependencies of a handshake. */
export interface HandshakeHost {
  readonly dc: number;
  now(): number;
  /** Consumes one forgery of this kind, if one is pending. */
  takeForgery(kind: HandshakeForgery): boolean;
  /** The exchange is complete. False if the key already exists. */
  accept(key: { readonly key: Buffer; readonly firstSalt: Long }): boolean;
}

interface Exchange {
  readonly nonce: Buffer;
  readonly serverNonce: Buffer;
  newNonce?: Buffer;
  secret?: bigint;
}

type InnerData = mtp.RawMt_p_q_inner_data_dc | mtp.RawMt_p_q_inner_data_temp_dc;
/** The format of old clients, which does not name the data centre. */
type FormerInnerData = Omit<mtp.RawMt_p_q_inner_data_dc, "_" | "dc"> & { readonly _: "mt_p_q_inner_data" };
type Outcome = "ok" | "retry" | "fail";

/** The server's side of the exchange that creates an authorization key (core.telegram.org/mtproto/auth_key). */
export class Handshake {
  readonly #host: HandshakeHost;
  #exchange: Exchange | undefined;

  constructor(host: HandshakeHost) {
    this.#host = host;
  }

  /** The response to an unencrypted message. Throws if the client violates the protocol. */
  answer(request: TlObject): TlObject {
    switch (request._) {
      case "mt_req_pq":
      case "mt_req_pq_multi":
        return this.#begin(request as mtp.RawMt_req_pq_multi);
      case "mt_req_DH_params":
        return this.#offer(request as mtp.RawMt_req_DH_params);
      case "mt_set_client_DH_params":
        return this.#finish(request as mtp.RawMt_set_client_DH_params);
      default:
        throw new Error(`${request._} outside of encryption`);
    }
  }

  #begin({ nonce }: mtp.RawMt_req_pq_multi): mtp.RawMt_resPQ {
    this.#exchange = { nonce: Buffer.from(nonce), serverNonce: randomBytes(16) };
    return {
      _: "mt_resPQ",
      nonce: this.#host.takeForgery("nonce") ? randomBytes(16) : nonce,
      serverNonce: this.#exchange.serverNonce,
      pq,
      serverPublicKeyFingerprints: [
        this.#host.takeForgery("fingerprint") ? serverKeyFingerprint.xor(Long.ONE) : serverKeyFingerprint,
      ],
    };
  }

  #offer(request: mtp.RawMt_req_DH_params): mtp.RawMt_server_DH_params_ok {
    const exchange = this.#current(request);
    if (!request.publicKeyFingerprint.equals(serverKeyFingerprint)) throw new Error("an unknown fingerprint");
    const inner = this.#openInner(request.encryptedData);
    const factors = [toBig(inner.p), toBig(inner.q), toBig(request.p), toBig(request.q)];
    if (factors.join() !== [p, q, p, q].join() || toBig(inner.pq) !== p * q) throw new Error("wrong factors");
    if (!exchange.nonce.equals(inner.nonce) || !exchange.serverNonce.equals(inner.serverNonce))
      throw new Error("a wrong nonce");
    exchange.newNonce = Buffer.from(inner.newNonce);
    return this.#params(exchange);
  }

  #openInner(encrypted: Uint8Array): InnerData | FormerInnerData {
    const open = openRsa(encrypted);
    if (!open) throw new Error("data that was not encrypted for this key");
    const reader = new TlReader(currentSchema, open.data);
    const inner = reader.object("P_Q_inner_data") as InnerData | FormerInnerData;
    const content = open.data.subarray(0, reader.position);
    if (open.hash && !sha1(content).equals(open.hash)) throw new Error("a wrong hash of the inner data");
    if (inner._ === "mt_p_q_inner_data") return inner;
    // Ids of test data centres are 10,000 higher; those of media data centres are negative.
    if (Math.abs(inner.dc) % 10_000 !== this.#host.dc) throw new Error(`the data centre ${inner.dc}`);
    return inner;
  }

  #params(exchange: Exchange): mtp.RawMt_server_DH_params_ok {
    const { secret, shared } = makeDhPair();
    exchange.secret = secret;
    const { nonce, serverNonce } = exchange;
    const inner: mtp.RawMt_server_DH_inner_data = {
      _: "mt_server_DH_inner_data",
      nonce,
      serverNonce,
      g: Number(dhGenerator),
      // A safe prime minus 2 is divisible by 3.
      dhPrime: toBytes(this.#host.takeForgery("dh_prime") ? dhPrime - 2n : dhPrime, groupBytes),
      gA: toBytes(this.#host.takeForgery("g_a") ? 1n : shared, groupBytes),
      serverTime: this.#host.now(),
    };
    const answer = encode(currentSchema, inner);
    const hash = this.#host.takeForgery("answer_hash") ? randomBytes(20) : sha1(answer);
    const padded = Buffer.concat([hash, answer]);
    const padding = randomBytes((16 - (padded.length % 16)) % 16);
    const encryptedAnswer = encryptIge(Buffer.concat([padded, padding]), temporaryKey(exchange));
    return { _: "mt_server_DH_params_ok", nonce, serverNonce, encryptedAnswer };
  }

  #finish(request: mtp.RawMt_set_client_DH_params): TlObject {
    const exchange = this.#current(request);
    const { newNonce, secret, nonce, serverNonce } = exchange;
    if (!newNonce || secret === undefined) throw new Error("no parameters were asked for");
    const shared = toBig(readClientData(request.encryptedData, exchange).gB);
    if (!isSafeShared(shared)) throw new Error("an unsafe g_b");
    const key = toBytes(modPow(shared, secret, dhPrime), groupBytes);
    const firstSalt = Long.fromBytesLE([...xor(newNonce.subarray(0, 8), serverNonce.subarray(0, 8))]);
    const outcome: Outcome = this.#host.accept({ key, firstSalt }) ? "ok" : "retry";
    const marker = { ok: 1, retry: 2, fail: 3 }[outcome];
    const hash = sha1(newNonce, Buffer.from([marker]), sha1(key).subarray(0, 8)).subarray(4);
    const shown = this.#host.takeForgery("new_nonce_hash") ? randomBytes(16) : hash;
    const answer = { nonce, serverNonce, [`newNonceHash${marker}`]: shown };
    return { _: `mt_dh_gen_${outcome}`, ...answer } as TlObject;
  }

  #current(request: { readonly nonce: Uint8Array; readonly serverNonce: Uint8Array }): Exchange {
    const exchange = this.#exchange;
    if (!exchange?.nonce.equals(request.nonce) || !exchange.serverNonce.equals(request.serverNonce))
      throw new Error("a wrong nonce");
    return exchange;
  }
}

/** The key that both sides compute from the nonces. */
export function temporaryKey({
  newNonce = Buffer.alloc(0),
  serverNonce,
}: Pick<Exchange, "newNonce" | "serverNonce">): IgeKey {
  const [a, b, c] = [sha1(newNonce, serverNonce), sha1(serverNonce, newNonce), sha1(newNonce, newNonce)];
  return {
    key: Buffer.concat([a, b.subarray(0, 12)]),
    iv: Buffer.concat([b.subarray(12), c, newNonce.subarray(0, 4)]),
  };
}

function readClientData(encrypted: Uint8Array, exchange: Exchange): mtp.RawMt_client_DH_inner_data {
  if (encrypted.length % 16 !== 0) throw new Error("a wrong length of the client's data");
  const open = decryptIge(encrypted, temporaryKey(exchange));
  const reader = new TlReader(currentSchema, open, 20);
  const inner = reader.object("Client_DH_Inner_Data") as mtp.RawMt_client_DH_inner_data;
  if (!sha1(open.subarray(20, reader.position)).equals(open.subarray(0, 20)))
    throw new Error("a wrong hash of the client's data");
  if (!exchange.nonce.equals(inner.nonce) || !exchange.serverNonce.equals(inner.serverNonce))
    throw new Error("a wrong nonce");
  return inner;
}

/** An unencrypted message as a packet. */
export function plainPacket(messageId: Long, answer: TlObject): Buffer {
  const body = encode(currentSchema, answer);
  const head = Buffer.alloc(20);
  head.writeInt32LE(messageId.low, 8);
  head.writeInt32LE(messageId.high, 12);
  head.writeUInt32LE(body.length, 16);
  return Buffer.concat([head, body]);
}

/** The object in an unencrypted message. */
export function readPlain(packet: Buffer): TlObject {
  return new TlReader(currentSchema, packet, 20).object();
}
