import type { ServerResponse } from "node:http";
import type { Core } from "../../../core/core.ts";
import type { InboxSession } from "../../../core/inbox/reach.ts";
import type { Follower } from "../../../core/live/feed.ts";
import { LiveHub } from "../../../core/live/hub.ts";
import { validSessions } from "../../../core/page-ticket/sessions.ts";
import type { App } from "../../app.ts";
import { type Places, takePlace } from "../../limit/places.ts";
import { inboxOf } from "./session.ts";

/** A page that receives nothing for two beats and a half reconnects. */
const BEAT_MS = 5_000;
/** A page that has read nothing for so many beats is disconnected. */
const MAX_UNREAD_BEATS = 3;
/** How often it is checked whether the sessions of open streams are still valid. */
const CHECK_MS = 1_000;
const BEAT = Buffer.from(": beat\n\n");
const HIDDEN = { hide: true } as object;

/**
 * `GET /app/stream`: server-sent events, one stream per page. `Last-Event-ID` is the page's position. Next to nothing is
 * buffered for a page that does not read: after three heartbeats without reading it is disconnected, and resumes when
 * it reconnects.
 */
export function streamRoute(app: App, core: Core, places: Places, beatMs = BEAT_MS): void {
  const hub = new LiveHub(core);
  const shared = { unread: new UnreadBytes(), encode: createEncoder() };
  const streams = new Set<Stream>();
  const beat = setInterval(() => {
    for (const stream of streams) stream.beat();
  }, beatMs).unref();
  let checking = false;
  const check = setInterval(() => {
    if (checking) return;
    checking = true;
    endStreams(core, [...streams])
      .catch((error: unknown) => core.log.debug({ err: error }, "ended sessions of pages not looked for"))
      .finally(() => {
        checking = false;
      });
  }, CHECK_MS).unref();
  app.addHook("preClose", async () => {
    clearInterval(beat);
    clearInterval(check);
    for (const stream of streams) stream.end();
    await hub.close();
  });
  app.get("/app/stream", { schema: HIDDEN }, async (request, reply) => {
    const session = inboxOf(request);
    const stream = new Stream(reply.raw, session, shared);
    const { hash, scope } = session;
    // Its page may have gone while the session was being read; `close` is then not emitted again.
    if (reply.raw.destroyed) return reply.hijack();
    const free = takePlace(reply, places, {
      owner: hash.toString("hex"),
      group: String(scope.accountId),
      end: () => stream.drop(),
    });
    reply.hijack();
    streams.add(stream);
    reply.raw.once("close", () => {
      free();
      streams.delete(stream);
      stream.close();
      hub.leave(stream);
    });
    stream.begin(reply.getHeaders() as Record<string, string>);
    try {
      await hub.join(stream, positionOf(request.headers["last-event-id"]));
    } catch (error) {
      core.log.debug({ err: error }, "a page's stream could not be started");
      stream.end();
    }
  });
}

/** Ends the streams whose session has ended; the page then requests to be opened again. */
async function endStreams(core: Core, streams: readonly Stream[]): Promise<void> {
  if (streams.length === 0) return;
  const valid = await validSessions(
    core.db,
    streams.map(({ session }) => session),
  );
  for (const stream of streams) if (!valid.has(stream.session)) stream.end();
}

/** A value that is not one of our positions is ignored. */
function positionOf(header: string | string[] | undefined): number | null {
  return typeof header === "string" && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

interface SharedByStreams {
  readonly unread: UnreadBytes;
  readonly encode: Encode;
}

/** One open page. */
class Stream implements Follower {
  readonly session: InboxSession;
  readonly #response: ServerResponse;
  #isOpen = true;
  /** Heartbeats since data has been unread. */
  #unreadBeats = 0;
  #onDrained: () => void = () => undefined;

  readonly #unread: UnreadBytes;
  readonly #encode: Encode;

  constructor(response: ServerResponse, session: InboxSession, { unread, encode }: SharedByStreams) {
    this.#response = response;
    this.#unread = unread;
    this.#encode = encode;
    response.on("drain", () => {
      this.#unread.note(this, this.#response.writableLength);
      this.#onDrained();
    });
    this.session = session;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  begin(headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(200, {
      ...headers,
      "content-type": "text/event-stream; charset=utf-8",
      // Tells proxies not to buffer.
      "x-accel-buffering": "no",
    });
    this.#response.flushHeaders();
  }

  send(event: Parameters<Follower["send"]>[0]): boolean {
    return this.#write(this.#encode(event));
  }

  drained(): Promise<void> {
    if (!this.#isOpen || !this.#response.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onDrained = resolve;
    });
  }

  /** Keeps proxies from closing it, and closes it if it is not read. */
  beat(): void {
    const waits = this.#response.writableLength > 0;
    this.#unreadBeats = waits ? this.#unreadBeats + 1 : 0;
    if (this.#unreadBeats >= MAX_UNREAD_BEATS) this.drop();
    else if (!waits) this.#write(BEAT);
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
    this.#unread.note(this, 0);
    this.#onDrained();
  }

  #write(bytes: Buffer): boolean {
    if (!this.#isOpen) return false;
    const isAccepted = this.#response.write(bytes);
    this.#unread.note(this, this.#response.writableLength);
    return isAccepted;
  }
}

/** What a node buffers for all pages that do not read; beyond it, those that have not read for longest are dropped. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

class UnreadBytes {
  /** In the order in which they stopped reading. */
  readonly #streams = new Map<Stream, number>();
  #total = 0;

  note(stream: Stream, bytes: number): void {
    this.#total += bytes - (this.#streams.get(stream) ?? 0);
    if (bytes === 0) this.#streams.delete(stream);
    else this.#streams.set(stream, bytes);
    for (const slow of this.#total > MAX_UNREAD_BYTES ? this.#streams.keys() : []) {
      slow.drop();
      if (this.#total <= MAX_UNREAD_BYTES) return;
    }
  }
}

type Encode = (event: Parameters<Follower["send"]>[0]) => Buffer;

/** Remembers the last encoded event: pages that may see the same get it one after another. */
function createEncoder(): Encode {
  let last: { readonly event: Parameters<Encode>[0]; readonly bytes: Buffer } | null = null;
  return (event) => {
    const { id, type, data } = event;
    // Compares the identity of the text first, so that a thousand copies of one text are not compared.
    if (last === null || last.event.id !== id || last.event.type !== type || last.event.data !== data)
      last = { event, bytes: Buffer.from(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`) };
    return last.bytes;
  };
}
