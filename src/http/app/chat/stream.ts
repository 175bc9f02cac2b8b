import type { ServerResponse } from "node:http";
import type { Core } from "../../../core/core.ts";
import type { InboxSession } from "../../../core/inbox/reach.ts";
import type { Follower } from "../../../core/live/feed.ts";
import { LiveHub } from "../../../core/live/hub.ts";
import type { App } from "../../app.ts";
import { inboxOf } from "./session.ts";

const BEAT_MS = 15_000;
const HIDDEN = { hide: true } as object;

/**
 * `GET /app/stream`: server-sent events, one stream for each page. `Last-Event-ID` is where the page was. Nothing is kept
 * for a page that does not read; from one beat to the next without reading it is dropped, and resumes when it comes back.
 */
export function streamRoute(app: App, core: Core, beatMs = BEAT_MS): void {
  const hub = new LiveHub(core);
  const streams = new Set<Stream>();
  const beat = setInterval(() => {
    const now = core.clock.now();
    for (const stream of streams) stream.beat(now);
  }, beatMs).unref();
  app.addHook("preClose", async () => {
    clearInterval(beat);
    for (const stream of streams) stream.end();
    await hub.close();
  });
  app.get("/app/stream", { schema: HIDDEN }, async (request, reply) => {
    const session = inboxOf(request);
    reply.hijack();
    const stream = new Stream(reply.raw, session);
    streams.add(stream);
    reply.raw.once("close", () => {
      streams.delete(stream);
      stream.close();
      hub.leave(stream);
    });
    stream.begin(reply.getHeaders() as Record<string, string>);
    try {
      await hub.join(stream, positionOf(request.headers["last-event-id"]));
    } catch (error) {
      core.log.debug({ err: error }, "a stream of news could not begin");
      stream.end();
    }
  });
}

/** What never was a position of ours is none. */
function positionOf(header: string | string[] | undefined): number | null {
  return typeof header === "string" && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

/** One open page. */
class Stream implements Follower {
  readonly session: InboxSession;
  readonly #response: ServerResponse;
  #isOpen = true;
  /** Whether something has been waiting to be read since the last beat. */
  #lags = false;
  #onDrained: () => void = () => undefined;

  constructor(response: ServerResponse, session: InboxSession) {
    this.#response = response;
    response.on("drain", () => this.#onDrained());
    this.session = session;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  begin(headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(200, {
      ...headers,
      "content-type": "text/event-stream; charset=utf-8",
      // Proxies that collect answers are told not to.
      "x-accel-buffering": "no",
    });
    this.#response.flushHeaders();
  }

  send({ id, type, data }: Parameters<Follower["send"]>[0]): boolean {
    return this.#write(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`);
  }

  drained(): Promise<void> {
    if (!this.#isOpen || !this.#response.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onDrained = resolve;
    });
  }

  /** Keeps proxies from ending it, and ends it where nobody reads any more, or with its session. */
  beat(now: Date): void {
    const waits = this.#response.writableLength > 0;
    if (now > this.session.expiresAt) this.end();
    else if (waits && this.#lags) this.drop();
    else if (!waits) this.#write(": beat\n\n");
    this.#lags = waits;
  }

  end(): void {
    this.#response.end();
    this.close();
  }

  drop(): void {
    this.#response.destroy();
    this.close();
  }

  close(): void {
    this.#isOpen = false;
    this.#onDrained();
  }

  #write(text: string): boolean {
    return this.#isOpen && this.#response.write(text);
  }
}
