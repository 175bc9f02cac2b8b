import { EventEmitter } from "node:events";
import type { Database } from "../database/database.ts";

/**
 * What a worker may sleep on. `channels` and `logins` carry the id of the channel, `live` that of an account, `outcomes`
 * that of a change job or of a login step, `sends` the id of a channel and those of its chats (`signalSends`), `webhooks` the
 * id of an account and the kinds of its new events (none: all may have something to read).
 */
export type Topic =
  | "sends"
  | "webhooks"
  | "channels"
  | "files"
  | "outcomes"
  | "replays"
  | "logins"
  | "exports"
  | "live"
  | "deadLetters"
  | "recordings";

/** Told for each batch of messages or events. */
const BUSY_TOPICS: ReadonlySet<Topic> = new Set<Topic>(["sends", "webhooks"]);

/**
 * Tells workers that there is something to do: in this process at once, on other nodes by NOTIFY. A hint only:
 * everything is in the tables, and workers look there now and then without being told.
 */
export interface Signals {
  wake(topic: Topic, detail?: string): void;
  /** Without other nodes the busiest topics stay in this process; at first there may be some. */
  setOthers(areThere: boolean): void;
  /** Whether there may be other nodes, as it was told last. */
  hasOthers(): boolean;
  /** `detail` is "" when something may have been missed. Returns how to stop listening. */
  on(topic: Topic, handler: (detail: string) => void): () => void;
  close(): Promise<void>;
}

/** `origin` marks this process, so that it does not hear itself twice. */
export async function createSignals(db: Database, origin: string): Promise<Signals> {
  const emitter = new EventEmitter().setMaxListeners(100);
  let others = true;
  const unlisten = await db.listen("trunkline", (payload) => {
    const [from, topic, ...details] = payload.split(" ");
    if (topic === undefined) for (const each of emitter.eventNames()) emitter.emit(each, "");
    else if (from !== origin) {
      others = true;
      emitter.emit(topic, details.join(" "));
    }
  });
  return {
    wake(topic, detail = "") {
      emitter.emit(topic, detail);
      if (others || !BUSY_TOPICS.has(topic)) db.notify("trunkline", `${origin} ${topic} ${detail}`);
    },
    setOthers(areThere) {
      others = areThere;
    },
    hasOthers: () => others,
    on(topic, handler) {
      emitter.on(topic, handler);
      return () => void emitter.off(topic, handler);
    },
    close: unlisten,
  };
}

/** A NOTIFY takes 8,000 bytes. */
const CHATS_PER_WAKE = 200;

/** Call it when jobs were stored: tells the owners of the channels in which chats something waits. */
export function signalSends(
  wakes: Pick<Signals, "wake">,
  stored: readonly { readonly channelId: string; readonly chat: string }[],
): void {
  for (const [channelId, jobs] of Map.groupBy(stored, (job) => job.channelId)) {
    const chats = [...new Set(jobs.map(({ chat }) => chat))];
    for (let from = 0; from < chats.length; from += CHATS_PER_WAKE)
      wakes.wake("sends", [channelId, ...chats.slice(from, from + CHATS_PER_WAKE)].join(" "));
  }
}
