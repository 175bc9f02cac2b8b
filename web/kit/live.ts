import { type ReadonlySignal, signal } from "@preact/signals";
import type { Operations } from "./api/generated.ts";
import { eventReader, type StreamEvent } from "./event-stream.ts";
import { online } from "./offline.tsx";

type Written = Operations["sendChatMessage"]["output"];
type Channel = Operations["listChatChannels"]["output"][number];

/** Changes reported by the service; each event contains the present state, which replaces the known one. */
export type LiveEvent =
  | { readonly type: "ready" }
  /** What happened in between is not known: everything is to be asked for again. */
  | { readonly type: "reload" }
  | { readonly type: "message"; readonly message: Written["message"]; readonly chat: Written["chat"] }
  | { readonly type: "chat"; readonly chat: Written["chat"] }
  /** An internal note, or what an employee did with a chat. */
  | { readonly type: "entry"; readonly entry: Operations["addNote"]["output"] }
  /** A colleague is in a chat, for so many seconds; `asks`: and wants to know who else is. */
  | {
      readonly type: "presence";
      readonly chat_id: string;
      readonly user: { readonly id: string; readonly name: string | null };
      readonly state: "viewing" | "typing" | "left";
      readonly asks: boolean;
      readonly seconds: number;
    }
  /** Somebody is typing; shown for so many seconds. */
  | { readonly type: "typing"; readonly chat_id: string; readonly seconds: number }
  /** The CRM's data about the chat's client changed; a page that shows it requests it again. */
  | { readonly type: "client"; readonly chat_id: string }
  /** Null: deleted. */
  | { readonly type: "channel"; readonly channel_id: string; readonly channel: Channel | null };

/** `crowded`: too many pages are open. `over`: the session has ended, and no more events follow. */
export type LiveState = "connecting" | "live" | "offline" | "crowded" | "over";

export interface Live {
  readonly state: ReadonlySignal<LiveState>;
  close(): void;
}

interface LiveOptions {
  /** The position from which on the page has to hear of changes: that at which its session was opened. */
  readonly from: string;
  /** Called for each connection, so that a renewed session is used. */
  readonly token: () => string;
  readonly on: (event: LiveEvent) => void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const CROWDED_PAUSE_MS = 15_000;
/** The service writes at least every 5 seconds. A network that stalls without closing the connection is noticed by this. */
export const SILENCE_MS = 12_000;

/**
 * Follows `/app/stream`. A lost connection is resumed at the position of the last event: no event is missed or
 * delivered twice.
 */
export function openLive({ from, token, on }: LiveOptions): Live {
  const state = signal<LiveState>("connecting");
  const closed = new AbortController();
  let last = from;
  let retryNow: () => void = () => undefined;
  const take = ({ id, type, data }: StreamEvent): void => {
    const isNew = id === null || /^(ready|reload|typing|presence)$/.test(type);
    if (!isNew && Number(id) <= Number(last)) return;
    if (id !== null) last = id;
    state.value = "live";
    on({ ...JSON.parse(data), type } as LiveEvent);
  };
  const follow = async (): Promise<void> => {
    for (let failures = 0; !closed.signal.aborted; ) {
      const outcome = await connect(token(), last, closed.signal, take);
      if (closed.signal.aborted) return;
      if (outcome === "over") {
        state.value = "over";
        return;
      }
      failures = outcome === "lost" || outcome === "silent" ? 1 : failures + 1;
      // A connection that ends occasionally is not worth reporting.
      if (outcome === "crowded") state.value = "crowded";
      else if (failures > 1 || outcome === "silent" || !navigator.onLine) state.value = "offline";
      // Another connection may work at once.
      if (outcome === "silent") continue;
      await new Promise<void>((resolve) => {
        retryNow = resolve;
        // Places become free as pages are closed, not sooner for a page that asks often.
        setTimeout(resolve, outcome === "crowded" ? partOf(CROWDED_PAUSE_MS) : pauseAfter(failures));
      });
    }
  };
  const now = () => {
    if (document.visibilityState === "visible") retryNow();
  };
  addEventListener("online", now, { signal: closed.signal });
  document.addEventListener("visibilitychange", now, { signal: closed.signal });
  void follow();
  return { state, close: () => closed.abort() };
}

/** Longer after each failure, and random, so that pages do not reconnect together. */
function pauseAfter(failures: number): number {
  return partOf(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)));
}

function partOf(most: number): number {
  return most / 2 + (Math.random() * most) / 2;
}

/**
 * One connection, until it ends. `lost`: it worked; `silent`: it did, until nothing came; `failed`: it never did;
 * `crowded`: there was no place for it.
 */
async function connect(
  token: string,
  last: string,
  closed: AbortSignal,
  take: (event: StreamEvent) => void,
): Promise<"lost" | "silent" | "failed" | "crowded" | "over"> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  let isLive = false;
  try {
    const answer = await fetch("./stream", {
      headers: { authorization: `Bearer ${token}`, "last-event-id": last },
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.any([closed, silence.signal]),
    });
    if (answer.status === 401) return "over";
    if (answer.status === 429) return "crowded";
    if (!answer.ok || answer.body === null) return "failed";
    const read = eventReader();
    for await (const piece of piecesOf(answer.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      isLive = true;
      // A request may have failed meanwhile, and the state of the stream does not change.
      online.value = true;
      for (const event of read(piece)) take(event);
    }
  } catch {
    // The connection broke, or nothing came for too long.
  } finally {
    clearTimeout(timer);
  }
  if (!isLive) return "failed";
  return silence.signal.aborted ? "silent" : "lost";
}

/** Not every browser supports iterating over streams yet. */
async function* piecesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
