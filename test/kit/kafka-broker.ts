import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer, TLSSocket } from "node:tls";
import type { ServerIdentity } from "../../sandbox/whatsapp/tls/certificate.ts";

/** A broker that speaks as much of Kafka's protocol as a producer needs, with users and TLS. */
export interface KafkaBroker {
  readonly port: number;
  /** Batches of records, as they came. */
  readonly stored: readonly Buffer[];
  /** The names by which clients asked for it (SNI); null: by none. */
  readonly names: ReadonlySet<string | null>;
  /** Mechanisms by which users have signed in. */
  readonly mechanisms: ReadonlySet<string>;
  /** Ends all connections. */
  stop(): Promise<void>;
}

interface KafkaUser {
  readonly user: string;
  password: string;
}

interface KafkaOptions {
  /** What it calls itself in its metadata, and so where clients connect to it. */
  readonly host: string;
  readonly topic: string;
  /** Null: anyone may write. */
  readonly login: KafkaUser | null;
  /** Null: connections are not encrypted. */
  readonly identity: ServerIdentity | null;
}

const [PRODUCE, METADATA, HANDSHAKE, VERSIONS, AUTHENTICATE] = [0, 3, 17, 18, 36];
/** Those without compact encodings. */
const SPOKEN = [
  [PRODUCE, 3, 3],
  [METADATA, 4, 4],
  [HANDSHAKE, 1, 1],
  [VERSIONS, 0, 1],
  [AUTHENTICATE, 0, 0],
] as const;
const MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"];
const UNKNOWN_TOPIC = 3;
const AUTHENTICATION_FAILED = 58;
/** Said in the form of version 0, to a client that asks for the versions in a newer one. */
const UNSUPPORTED_VERSION = 35;

export async function startKafkaBroker(options: KafkaOptions): Promise<KafkaBroker> {
  const { identity } = options;
  const stored: Buffer[] = [];
  const names = new Set<string | null>();
  const mechanisms = new Set<string>();
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
    if (socket instanceof TLSSocket) names.add(socket.servername || null);
    const { port = 0 } = server.address() as { port?: number };
    const session = new Session({ ...options, port, stored, mechanisms });
    let input = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      input = Buffer.concat([input, chunk]);
      while (input.length >= 4 && input.length >= 4 + input.readInt32BE()) {
        const request = input.subarray(4, 4 + input.readInt32BE());
        input = input.subarray(4 + request.length);
        const { response, isLast } = session.respond(request);
        if (isLast) socket.end(response);
        else socket.write(response);
      }
    });
  };
  const server =
    identity === null
      ? createServer(serve)
      : createTlsServer({ key: identity.key, cert: identity.certificate }, serve);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    port,
    stored,
    names,
    mechanisms,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

interface SessionOptions extends KafkaOptions {
  readonly port: number;
  readonly stored: Buffer[];
  readonly mechanisms: Set<string>;
}

/** One connection. */
class Session {
  readonly #options: SessionOptions;
  #mechanism = "";
  #scram: ScramServer | null = null;
  #isSignedIn: boolean;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#isSignedIn = options.login === null;
  }

  respond(request: Buffer): { readonly response: Buffer; readonly isLast: boolean } {
    const reader = new Reader(request);
    const [api, version, correlation] = [reader.int16(), reader.int16(), reader.int32()];
    reader.text();
    const isForbidden = !this.#isSignedIn && ![VERSIONS, HANDSHAKE, AUTHENTICATE].includes(api);
    const body = isForbidden ? null : this.#bodyOf(api, version, reader);
    const whole = Buffer.concat([int32(correlation), body ?? Buffer.alloc(0)]);
    const isRefused = api === AUTHENTICATE && body?.readInt16BE() !== 0;
    return { response: Buffer.concat([int32(whole.length), whole]), isLast: isForbidden || isRefused };
  }

  #bodyOf(api: number, version: number, reader: Reader): Buffer {
    if (api === VERSIONS)
      return Buffer.concat([
        int16(version > 1 ? UNSUPPORTED_VERSION : 0),
        list(SPOKEN, ([key, from, to]) => Buffer.concat([int16(key), int16(from), int16(to)])),
        version === 1 ? int32(0) : Buffer.alloc(0),
      ]);
    if (api === HANDSHAKE) {
      this.#mechanism = reader.text();
      return Buffer.concat([int16(0), list(MECHANISMS, text)]);
    }
    if (api === AUTHENTICATE) return this.#signIn(reader.bytes());
    if (api === METADATA) return this.#metadata(reader);
    return this.#produce(reader);
  }

  #signIn(given: Buffer): Buffer {
    const { login, mechanisms } = this.#options;
    const answer = this.#mechanism === "PLAIN" ? plain(given, login) : this.#scramAnswer(given);
    if (answer === null)
      return Buffer.concat([
        int16(AUTHENTICATION_FAILED),
        text("Authentication failed: Invalid username or password"),
        bytes(Buffer.alloc(0)),
      ]);
    if (this.#scram?.isDone !== false) {
      this.#isSignedIn = true;
      mechanisms.add(this.#mechanism);
    }
    return Buffer.concat([int16(0), text(null), bytes(Buffer.from(answer))]);
  }

  #scramAnswer(given: Buffer): string | null {
    this.#scram ??= new ScramServer(this.#options.login, this.#mechanism);
    return this.#scram.answer(given.toString());
  }

  #metadata(reader: Reader): Buffer {
    const { host, port, topic } = this.#options;
    const asked = Array.from({ length: reader.int32() }, () => reader.text());
    const partition = Buffer.concat([int16(0), int32(0), int32(1), list([1], int32), list([1], int32)]);
    return Buffer.concat([
      int32(0),
      list([host], (name) => Buffer.concat([int32(1), text(name), int32(port), text(null)])),
      text("cluster"),
      int32(1),
      list(asked, (name) =>
        Buffer.concat([
          int16(name === topic ? 0 : UNKNOWN_TOPIC),
          text(name),
          Buffer.of(0),
          list(name === topic ? [partition] : [], (each) => each),
        ]),
      ),
    ]);
  }

  #produce(reader: Reader): Buffer {
    const { stored } = this.#options;
    reader.text();
    reader.int16();
    reader.int32();
    const topics = Array.from({ length: reader.int32() }, () => ({
      name: reader.text(),
      partitions: Array.from({ length: reader.int32() }, () => {
        const partition = reader.int32();
        stored.push(Buffer.from(reader.bytes()));
        return partition;
      }),
    }));
    const partitionOf = (partition: number): Buffer =>
      Buffer.concat([int32(partition), int16(0), Buffer.alloc(8), Buffer.alloc(8, 0xff)]);
    return Buffer.concat([
      list(topics, ({ name, partitions }) => Buffer.concat([text(name), list(partitions, partitionOf)])),
      int32(0),
    ]);
  }
}

/** RFC 4616; null: refused. */
function plain(given: Buffer, login: KafkaUser | null): string | null {
  const [, user, password] = given.toString().split("\0");
  return user === login?.user && password === login?.password ? "" : null;
}

/** The server's side of RFC 5802. */
class ScramServer {
  readonly #login: KafkaUser | null;
  readonly #hash: "sha256" | "sha512";
  readonly #salt = randomBytes(16);
  #first = "";
  isDone = false;

  constructor(login: KafkaUser | null, mechanism: string) {
    this.#login = login;
    this.#hash = mechanism.endsWith("512") ? "sha512" : "sha256";
  }

  /** Null: refused. */
  answer(given: string): string | null {
    return this.#first === "" ? this.#challenge(given) : this.#verdict(given);
  }

  #challenge(given: string): string {
    const bare = given.replace(/^n,,/, "");
    const nonce = `${/r=([^,]+)/.exec(bare)?.[1]}${randomBytes(12).toString("base64url")}`;
    const challenge = `r=${nonce},s=${this.#salt.toString("base64")},i=4096`;
    this.#first = `${bare},${challenge}`;
    return challenge;
  }

  #verdict(given: string): string | null {
    const hash = this.#hash;
    const size = hash === "sha512" ? 64 : 32;
    const [withoutProof = "", proof = ""] = given.split(",p=");
    const salted = pbkdf2Sync(this.#login?.password ?? "", this.#salt, 4096, size, hash);
    const said = `${this.#first},${withoutProof}`;
    const mac = (key: Buffer, value: string): Buffer => createHmac(hash, key).update(value).digest();
    const stored = createHash(hash).update(mac(salted, "Client Key")).digest();
    const signature = mac(stored, said);
    const key = Buffer.from(proof, "base64").map((byte, place) => byte ^ (signature[place] ?? 0));
    if (!timingSafeEqual(createHash(hash).update(key).digest(), stored)) return null;
    if (!this.#first.startsWith(`n=${this.#login?.user},`)) return null;
    this.isDone = true;
    return `v=${mac(mac(salted, "Server Key"), said).toString("base64")}`;
  }
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(given: Buffer) {
    this.#bytes = given;
  }

  int16(): number {
    this.#at += 2;
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  text(): string {
    return this.#take(this.int16()).toString();
  }

  bytes(): Buffer {
    return this.#take(this.int32());
  }

  /** Nothing for a length of -1. */
  #take(length: number): Buffer {
    const from = this.#at;
    this.#at += Math.max(0, length);
    return this.#bytes.subarray(from, this.#at);
  }
}

function int16(value: number): Buffer {
  const written = Buffer.alloc(2);
  written.writeInt16BE(value);
  return written;
}

function int32(value: number): Buffer {
  const written = Buffer.alloc(4);
  written.writeInt32BE(value);
  return written;
}

function text(value: string | null): Buffer {
  if (value === null) return int16(-1);
  const encoded = Buffer.from(value);
  return Buffer.concat([int16(encoded.length), encoded]);
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([int32(value.length), value]);
}

function list<T>(values: readonly T[], write: (value: T) => Buffer): Buffer {
  return Buffer.concat([int32(values.length), ...values.map(write)]);
}
