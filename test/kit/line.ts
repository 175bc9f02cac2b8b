import { connect, createServer, type NetConnectOpts, type Server, type Socket } from "node:net";
import { type Readable, Transform } from "node:stream";
import { startOwnServer } from "./own-port.ts";

/** A TCP line to a server that can be cut and slowed, to play a database or a messenger that goes away and comes back. */
export interface Line {
  readonly port: number;
  /** Ends all connections and refuses new ones, until `restore` was called as often. */
  cut(): Promise<void>;
  /** Ends all connections; new ones are accepted. */
  drop(): void;
  /** Carries nothing more, without ending anything. */
  freeze(): void;
  /** Carries what is said to the server, and none of its answers. */
  mute(): void;
  /** Mutes the next connection on which the client says this, from then on. */
  muteAfter(words: string): void;
  /** From now on every piece of data takes this long each way, on old and new connections; 0 ends it. */
  delay(ms: number): void;
  /** Lets connections through again after `cut`. */
  restore(): Promise<void>;
}

interface Answers {
  readonly from: Readable;
  readonly to: Socket;
}

export async function startLine(target: NetConnectOpts): Promise<Line> {
  const sockets = new Set<Socket>();
  /** The server's answers, as they leave for the client. */
  const answers = new Map<Socket, Answers>();
  let delayMs = 0;
  let lastWords: string | undefined;
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  const { port, close, open } = await startOwnServer(create, drop);

  function create(): Server {
    const created = createServer((near) => {
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
      near.on("data", (chunk) => {
        if (lastWords === undefined || !chunk.includes(lastWords)) return;
        lastWords = undefined;
        silence({ from, to: near });
      });
    });
    return created.unref();
  }

  function silence({ from, to }: Answers): void {
    from.unpipe(to).resume();
  }

  return {
    port,
    drop,
    cut: close,
    restore: open,
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    mute() {
      for (const each of answers.values()) silence(each);
    },
    muteAfter(words) {
      lastWords = words;
    },
    delay(ms) {
      delayMs = ms;
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
