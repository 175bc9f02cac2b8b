import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from "node:net";
import type { Duplex } from "node:stream";

type Direction = "to" | "from";

export interface ProxyServerOptions {
  readonly scheme: "socks5" | "http";
  readonly username?: string;
  readonly password?: string;
}

/** A proxy of a test or a benchmark, which resolves every name to this machine and counts what goes through it. */
export interface ProxyServer {
  /** With user name and password. */
  readonly url: string;
  readonly port: number;
  /** `host:port` of each connection through it, as asked for. */
  readonly targets: string[];
  /** Connections that it refused because of their user name or password. */
  refused: number;
  /** Ends all connections, and accepts none. */
  kill(): Promise<void>;
  /** Resolves when it has killed itself after passing on this many more bytes to the messengers or from them. */
  killAfter(direction: Direction, bytes: number): Promise<void>;
  /** Ends all connections, and from now on those that come as soon as they name their target. */
  breakHandshakes(): void;
  /** Works again, at the same port. */
  revive(): Promise<void>;
  close(): Promise<void>;
}

export async function startProxyServer(options: ProxyServerOptions): Promise<ProxyServer> {
  const sockets = new Set<Duplex>();
  const targets: string[] = [];
  const counters = { refused: 0 };
  let fuse: Fuse | null = null;
  let breaksHandshakes = false;
  const track = <T extends Duplex>(socket: T): T => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
    return socket;
  };
  const forward = (client: Duplex, host: string, port: number, accept: (isOpen: boolean) => void): void => {
    if (breaksHandshakes) return void client.destroy();
    targets.push(`${host}:${port}`);
    const onward = track(connect({ host: "127.0.0.1", port }));
    let isOpen = false;
    onward.once("connect", () => {
      isOpen = true;
      accept(true);
      client.pipe(onward).pipe(client);
      client.on("data", (chunk: Buffer) => burn("to", chunk));
      onward.on("data", (chunk: Buffer) => burn("from", chunk));
    });
    onward.once("close", () => (isOpen ? client.destroy() : accept(false)));
    client.once("close", () => onward.destroy());
  };
  const create = (): Server =>
    options.scheme === "socks5"
      ? createTcpServer(
          (socket) =>
            void serveSocks(track(socket), options, counters, forward).catch(() => socket.destroy()),
        )
      : createConnectServer(options, counters, { track, forward });
  let server = create();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const kill = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const burn = (direction: Direction, { length }: Buffer): void => {
    if (fuse?.direction !== direction) return;
    fuse.bytes -= length;
    if (fuse.bytes > 0) return;
    const { onBurnt } = fuse;
    fuse = null;
    void kill().then(onBurnt);
  };
  const { scheme, username, password } = options;
  const user =
    username === undefined ? "" : `${encodeURIComponent(username)}:${encodeURIComponent(password ?? "")}@`;
  return {
    url: `${scheme}://${user}127.0.0.1:${port}`,
    port,
    targets,
    get refused() {
      return counters.refused;
    },
    kill,
    killAfter(direction, bytes) {
      const { promise, resolve } = Promise.withResolvers<void>();
      fuse = { direction, bytes, onBurnt: resolve };
      return promise;
    },
    breakHandshakes() {
      breaksHandshakes = true;
      for (const socket of sockets) socket.destroy();
    },
    async revive() {
      breaksHandshakes = false;
      if (server.listening) return;
      server = create();
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    close: () => (server.listening ? kill() : Promise.resolve()),
  };
}

interface Fuse {
  readonly direction: Direction;
  /** Left until it kills the proxy. */
  bytes: number;
  readonly onBurnt: () => void;
}

type Forward = (client: Duplex, host: string, port: number, accept: (isOpen: boolean) => void) => void;
interface Counters {
  refused: number;
}

/** RFC 1928, CONNECT only, and RFC 1929. */
async function serveSocks(
  socket: Socket,
  { username, password = "" }: ProxyServerOptions,
  counters: Counters,
  forward: Forward,
): Promise<void> {
  const read = reader(socket);
  const [, count = 0] = await read(2);
  const methods = await read(count);
  const method = username === undefined ? 0 : 2;
  if (!methods.includes(method)) {
    counters.refused += 1;
    return void socket.end(Buffer.from([5, 0xff]));
  }
  socket.write(Buffer.from([5, method]));
  if (username !== undefined) {
    const [, userLength = 0] = await read(2);
    const user = (await read(userLength)).toString();
    const [passwordLength = 0] = await read(1);
    const isRight = user === username && (await read(passwordLength)).toString() === password;
    if (!isRight) counters.refused += 1;
    socket.write(Buffer.from([1, isRight ? 0 : 1]));
    if (!isRight) return void socket.end();
  }
  const [, , , kind] = await read(4);
  const host = await readHost(read, kind ?? 0);
  const port = (await read(2)).readUInt16BE();
  read.stop();
  forward(socket, host, port, (isOpen) => {
    const reply = Buffer.from([5, isOpen ? 0 : 5, 0, 1, 0, 0, 0, 0, 0, 0]);
    if (isOpen) socket.write(reply);
    else socket.end(reply);
  });
}

async function readHost(read: (size: number) => Promise<Buffer>, kind: number): Promise<string> {
  if (kind === 1) return [...(await read(4))].join(".");
  if (kind === 3) {
    const [length = 0] = await read(1);
    return (await read(length)).toString();
  }
  return (await read(16)).toString("hex");
}

/** Reads exact sizes; `stop` gives back what was read too much. */
function reader(socket: Socket) {
  const read = async (size: number): Promise<Buffer> => {
    for (;;) {
      const found = size === 0 ? Buffer.alloc(0) : (socket.read(size) as Buffer | null);
      if (found !== null && found.length === size) return found;
      if (socket.readableEnded || socket.destroyed) throw new Error("The client closed the connection");
      await Promise.race([once(socket, "readable"), once(socket, "end"), once(socket, "close")]);
    }
  };
  return Object.assign(read, { stop: () => socket.removeAllListeners("readable") });
}

function createConnectServer(
  { username, password = "" }: ProxyServerOptions,
  counters: Counters,
  { track, forward }: { track<T extends Duplex>(socket: T): T; forward: Forward },
): Server {
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const server = createServer((_, response) => void response.writeHead(405).end());
  server.on("connection", (socket: Socket) => void track(socket));
  server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    track(socket);
    if (username !== undefined && request.headers["proxy-authorization"] !== expected) {
      counters.refused += 1;
      return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
    }
    const [, host = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(request.url ?? "") ?? [];
    if (head.length > 0) socket.unshift(head);
    forward(socket, host, Number(port), (isOpen) => {
      if (isOpen) socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      else socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
    });
  });
  return server;
}
