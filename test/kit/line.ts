import { connect, createServer, type Server, type Socket } from "node:net";

/** A TCP line to a unix socket that can be cut, to play a database that goes away and comes back. */
export interface Line {
  readonly port: number;
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Ends all connections; new ones are accepted. */
  drop(): void;
  /** Carries nothing more, without ending anything. */
  freeze(): void;
  /** Carries what is said to the database, and none of its answers. */
  mute(): void;
  /** Lets connections through again after `cut`. */
  restore(): Promise<void>;
}

export async function startLine(socketPath: string): Promise<Line> {
  const sockets = new Set<Socket>();
  const answers = new Map<Socket, Socket>();
  let server = await listen(0);
  const port = portOf(server);

  function listen(onPort: number): Promise<Server> {
    const listening = createServer((near) => {
      const far = connect(socketPath);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far).pipe(near);
      answers.set(far, near);
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
      for (const [far, near] of answers) far.unpipe(near).resume();
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

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the line has no port");
  return address.port;
}
