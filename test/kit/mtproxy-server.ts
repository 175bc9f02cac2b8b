import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

const INIT_BYTES = 64;

interface DataCentre {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

/** The kinds of secrets: `dd` demands padding, `ee` also what looks like TLS with a site. */
export type SecretKind = "plain" | "dd" | "ee";

const SITE = "www.example.org";
const INTERMEDIATE = "eeeeeeee";
const PADDED = "dddddddd";

/**
 * An MTProxy (core.telegram.org/mtproto/mtproto-transports#transport-obfuscation; what looks like TLS is described by
 * the source of TelegramMessenger/MTProxy): removes the obfuscation and forwards to the data centre that the client
 * names.
 */
export async function startMtproxy(kind: SecretKind, dataCentres: readonly DataCentre[]) {
  const secret = randomBytes(16);
  const sockets = new Set<Socket>();
  const reached: number[] = [];
  const counters = { refused: 0 };
  const server = createServer((client) => {
    sockets.add(client);
    client.on("error", () => client.destroy());
    void serve(client).catch(() => {
      counters.refused += 1;
      client.destroy();
    });
  });
  const serve = async (client: Socket): Promise<void> => {
    const line = kind === "ee" ? await acceptTls(client, secret) : plainLine(client);
    const init = await line.read(INIT_BYTES);
    const { incoming, outgoing } = ciphersOf(init, secret);
    const opened = incoming.update(init);
    const tag = opened.subarray(56, 60);
    const wanted = Math.abs(opened.readInt16LE(60)) % 10_000;
    const centre = dataCentres.find(({ id }) => id === wanted);
    const expected = kind === "plain" ? INTERMEDIATE : PADDED;
    if (centre === undefined || tag.toString("hex") !== expected) throw new Error("The client is refused");
    reached.push(wanted);
    const onward = connect({ host: centre.host, port: centre.port });
    sockets.add(onward);
    onward.on("error", () => onward.destroy());
    onward.write(tag);
    line.onData((chunk) => onward.write(incoming.update(chunk)));
    onward.on("data", (chunk) => line.write(outgoing.update(chunk)));
    client.once("close", () => onward.destroy());
    onward.once("close", () => client.destroy());
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `mtproxy://${writtenSecret(kind, secret)}@127.0.0.1:${port}`,
    /** The data centre of each connection. */
    reached,
    /** Connections whose client does not know the secret, or speaks otherwise than its kind demands. */
    get refused() {
      return counters.refused;
    },
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function writtenSecret(kind: SecretKind, secret: Buffer): string {
  switch (kind) {
    case "plain":
      return secret.toString("hex");
    case "dd":
      return `dd${secret.toString("hex")}`;
    case "ee":
      return `ee${secret.toString("hex")}${Buffer.from(SITE).toString("hex")}`;
  }
}

function ciphersOf(init: Buffer, secret: Buffer) {
  const reversed = Buffer.from(init.subarray(8, 56)).reverse();
  const keyOf = (part: Buffer): Buffer => createHash("sha256").update(part).update(secret).digest();
  return {
    incoming: createDecipheriv("aes-256-ctr", keyOf(init.subarray(8, 40)), init.subarray(40, 56)),
    outgoing: createCipheriv("aes-256-ctr", keyOf(reversed.subarray(0, 32)), reversed.subarray(32, 48)),
  };
}

/** What the obfuscated bytes travel in. */
interface Line {
  read(size: number): Promise<Buffer>;
  /** Once; nothing may be read afterwards. */
  onData(take: (chunk: Buffer) => void): void;
  write(data: Buffer): void;
}

function plainLine(client: Socket): Line {
  return {
    read: (size) => readExactly(client, size),
    onData: (take) => void client.on("data", take),
    write: (data) => void client.write(data),
  };
}

const RECORD = { handshake: 0x16, changeCipher: 0x14, data: 0x17 };
const HEADER_BYTES = 5;
const RANDOM = { from: 11, to: 43 };
/** How much a record may hold. */
const MAX_RECORD_BYTES = 16_384;
const CLOCK_SKEW_S = 120;

/** The hello proves the secret by a digest of itself in the place of its random bytes; so does the answer. */
async function acceptTls(client: Socket, secret: Buffer): Promise<Line> {
  const hello = await readRecord(client, RECORD.handshake);
  const random = hello.subarray(RANDOM.from, RANDOM.to);
  const digest = createHmac("sha256", secret).update(withoutRandom(hello)).digest();
  const differing = random.map((byte, at) => byte ^ (digest[at] ?? 0));
  const skew = Math.abs(Buffer.from(differing).readUInt32LE(28) - Date.now() / 1_000);
  if (differing.subarray(0, 28).some((byte) => byte !== 0) || skew > CLOCK_SKEW_S || !hello.includes(SITE))
    throw new Error("The client does not know the secret");
  const answer = serverHello(hello);
  const proof = createHmac("sha256", secret).update(random).update(answer).digest();
  proof.copy(answer, RANDOM.from);
  client.write(answer);
  await readRecord(client, RECORD.changeCipher);
  return tlsLine(client);
}

function withoutRandom(hello: Buffer): Buffer {
  return Buffer.concat([hello.subarray(0, RANDOM.from), Buffer.alloc(32), hello.subarray(RANDOM.to)]);
}

/** Its random bytes are zero; a cipher change and a record like an encrypted certificate follow it. */
function serverHello(hello: Buffer): Buffer {
  const session = hello.subarray(RANDOM.to, RANDOM.to + 33);
  const keyShare = Buffer.concat([Buffer.from("00330024001d0020", "hex"), randomBytes(32)]);
  const extensions = Buffer.concat([keyShare, Buffer.from("002b00020304", "hex")]);
  const size = Buffer.alloc(2);
  size.writeUInt16BE(extensions.length);
  const body = Buffer.concat([
    Buffer.from("0303", "hex"),
    Buffer.alloc(32),
    session,
    Buffer.from("130100", "hex"),
    size,
    extensions,
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  length[0] = 2;
  return Buffer.concat([
    record(RECORD.handshake, Buffer.concat([length, body])),
    record(RECORD.changeCipher, Buffer.from([1])),
    record(RECORD.data, randomBytes(1_024)),
  ]);
}

/** The obfuscated bytes are in records of data, whose borders mean nothing. */
function tlsLine(client: Socket): Line {
  let left = Buffer.alloc(0);
  const next = async (): Promise<void> => {
    const found = (await readRecord(client, RECORD.data)).subarray(HEADER_BYTES);
    left = Buffer.concat([left, found]);
  };
  const take = (size: number): Buffer => {
    const taken = left.subarray(0, size);
    left = left.subarray(size);
    return taken;
  };
  return {
    async read(size) {
      while (left.length < size) await next();
      return take(size);
    },
    onData(onChunk) {
      const pump = async (): Promise<void> => {
        for (;;) {
          if (left.length > 0) onChunk(take(left.length));
          await next();
        }
      };
      void pump().catch(() => client.destroy());
    },
    write(data) {
      for (let at = 0; at < data.length; at += MAX_RECORD_BYTES)
        client.write(record(RECORD.data, data.subarray(at, at + MAX_RECORD_BYTES)));
    },
  };
}

function record(type: number, body: Buffer): Buffer {
  const header = Buffer.from([type, 3, 3, 0, 0]);
  header.writeUInt16BE(body.length, 3);
  return Buffer.concat([header, body]);
}

/** With its header. */
async function readRecord(client: Socket, type: number): Promise<Buffer> {
  const header = await readExactly(client, HEADER_BYTES);
  if (header[0] !== type || header[1] !== 3) throw new Error("This is no record of TLS");
  return Buffer.concat([header, await readExactly(client, header.readUInt16BE(3))]);
}

async function readExactly(socket: Socket, size: number): Promise<Buffer> {
  for (;;) {
    const found = socket.read(size) as Buffer | null;
    if (found?.length === size) return found;
    if (socket.destroyed || socket.readableEnded) throw new Error("The client closed the connection");
    const waiting = new AbortController();
    const { signal } = waiting;
    const events = ["readable", "end", "close"].map((name) => once(socket, name, { signal }));
    await Promise.race(events).finally(() => {
      waiting.abort();
      for (const event of events) event.catch(() => undefined);
    });
  }
}
