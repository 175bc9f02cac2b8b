import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

const INIT_BYTES = 64;

interface DataCentre {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

/**
 * An MTProxy with a plain secret (core.telegram.org/mtproto/mtproto-transports#transport-obfuscation): removes the
 * obfuscation and forwards to the data centre that the client names.
 */
export async function startMtproxy(secret: Buffer, dataCentres: readonly DataCentre[]) {
  const sockets = new Set<Socket>();
  const reached: number[] = [];
  const server = createServer((client) => {
    sockets.add(client);
    client.on("error", () => client.destroy());
    void serve(client).catch(() => client.destroy());
  });
  const serve = async (client: Socket): Promise<void> => {
    const init = await readExactly(client, INIT_BYTES);
    const { incoming, outgoing } = ciphersOf(init, secret);
    const opened = incoming.update(init);
    const tag = opened.subarray(56, 60);
    const wanted = Math.abs(opened.readInt16LE(60)) % 10_000;
    const centre = dataCentres.find(({ id }) => id === wanted);
    if (centre === undefined || !/^(ee|dd){4}$/.test(tag.toString("hex"))) return void client.destroy();
    reached.push(wanted);
    const onward = connect({ host: centre.host, port: centre.port });
    sockets.add(onward);
    onward.on("error", () => onward.destroy());
    onward.write(tag);
    client.on("data", (chunk) => onward.write(incoming.update(chunk)));
    onward.on("data", (chunk) => client.write(outgoing.update(chunk)));
    client.once("close", () => onward.destroy());
    onward.once("close", () => client.destroy());
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `mtproxy://${secret.toString("hex")}@127.0.0.1:${port}`,
    /** The data centre of each connection. */
    reached,
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function ciphersOf(init: Buffer, secret: Buffer) {
  const reversed = Buffer.from(init.subarray(8, 56)).reverse();
  const keyOf = (part: Buffer): Buffer => createHash("sha256").update(part).update(secret).digest();
  return {
    incoming: createDecipheriv("aes-256-ctr", keyOf(init.subarray(8, 40)), init.subarray(40, 56)),
    outgoing: createCipheriv("aes-256-ctr", keyOf(reversed.subarray(0, 32)), reversed.subarray(32, 48)),
  };
}

async function readExactly(socket: Socket, size: number): Promise<Buffer> {
  for (;;) {
    const found = socket.read(size) as Buffer | null;
    if (found?.length === size) return found;
    if (socket.destroyed || socket.readableEnded) throw new Error("The client closed the connection");
    await Promise.race([once(socket, "readable"), once(socket, "end"), once(socket, "close")]);
  }
}
