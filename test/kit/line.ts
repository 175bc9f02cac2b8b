import { connect, createServer, type NetConnectOpts, type Server, type Socket } from "node:net";
import { type Readable, Transform } from "node:stream";

/** A TCP line to a server that can be cut and slowed, to play a database or a messenger that goes away and comes back. */
export interface Line {
  readonly port: number;
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Ends all connections; new ones are accepted. */
  drop(): void;
  /** Carries nothing more, without ending anything. */
  freeze(): void;
  /** Carries what is said to the server, and none of its answers. */
  mute(): void;
  /** From now on every piece of data takes this long each way, on old and new connections; 0 ends it. */
  delay(ms: number): void;
  /** Lets connections through again after `cut`. */
  restore(): Promise<void>;
}

export async function startLine(target: NetConnectOpts): Promise<Line> {
  const sockets = new Set<Socket>();
  /** The server's answers, as they leave for the client. */
  const answers = new Map<Socket, { readonly from: Readable; readonly to: Socket }>();
  let delayMs = 0;
  let server = await listen(0);
  const port = portOf(server);

  function listen(onPort: number): Promise<Server> {
    const listening = createServer((near) => {
      const far = connect(target);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      const slowly = () => delayed(() => delayMs);
      const from = far.pipe(slowly());
      near.pipe(slowly()).pipe(far);
      from.pipe(near);
      answers.set(far, { from, to: near });
      far.on("close", () => answers.delete(far));
    });
    listening.unref();
    return new Promise((resolve) => listening.listen(onPort, "127.0.0.1", () => resolve(listening)));
  }

  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    drop,
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    mute() {
      for (const { from, to } of answers.values()) from.unpipe(to).resume();
    },
    delay(ms) {
      delayMs = ms;
    },
    async cut() {
      const closed = new Promise((resolve) => server.close(resolve));
      drop();
      await closed;
    },
    async restore() {
      server = await listen(port);
    },
  };
}

function delayed(ms: () => number): Transform {
  return new Transform({
    transform(chunk, _encoding, done) {
      if (ms() === 0) done(null, chunk);
      else setTimeout(done, ms(), null, chunk);
    },
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the line has no port");
  return address.port;
}
