import { EventEmitter } from "node:events";
import type { Database } from "../database/database.ts";

/**
 * What a worker may wait for, with the detail of a notification. `channels`, `sessionRequests`, `phones`: the id of the channel; `live`:
 * of the account; `outcomes`: of the change job or session request; `sends`: the id of a channel and those of its chats
 * (`notifySends`; none: jobs of the channel were cancelled); `chats`: a name that another chat has now, or none
 * (`forgetChat`); `replies`: the id of a channel and of a chat whose person wrote, in this process only; `typing`: an account, one of its chats and for how many seconds it is shown (`typingOf`); `presence`: an employee in a chat, as JSON (`presenceOf`); `moves`: none, accounts begin to rest, go on or have left (core/move); `webhooks`: the id of an account and the kinds of its new events (none: any kind);
 * `allWebhooks` is never notified: a receiver waits for a node.
 */
export type Topic =
  | "sends"
  | "replies"
  | "webhooks"
  | "allWebhooks"
  | "channels"
  | "chats"
  | "files"
  | "outcomes"
  | "replays"
  | "sessionRequests"
  | "exports"
  | "live"
  | "typing"
  | "presence"
  | "deadLetters"
  | "phones"
  | "recordings"
  | "moves";

const NOTIFICATIONS = "trunkline";
/** Notified for each batch of messages or events. */
const BUSY_TOPICS: ReadonlySet<Topic> = new Set<Topic>(["sends", "webhooks", "typing", "presence"]);

/** Topics of work that `findDueWork` finds. */
export const WATCHED_TOPICS = [
  "channels",
  "sends",
  "webhooks",
  "allWebhooks",
  "files",
  "deadLetters",
  "replays",
  "exports",
  "sessionRequests",
  "phones",
] as const satisfies readonly Topic[];
export type WatchedTopic = (typeof WATCHED_TOPICS)[number];

/**
 * Notifies workers that there may be work: in this process directly, on other nodes by NOTIFY. Only a hint: all work
 * is in the tables, and workers also poll them.
 */
export interface Signals {
  /** `local` reaches the handlers of this process alone. */
  notify(topic: Topic, detail?: string, local?: object): void;
  /** Without other nodes, the busiest topics are not sent outside this process. Initially other nodes are assumed. */
  setOthers(areThere: boolean): void;
  /** Whether there may be other nodes, as last set. */
  hasOthers(): boolean;
  /** Calls the `onDue` handlers of this process alone. */
  wake(topic: WatchedTopic): void;
  /**
   * Whether the tables are watched for due work of all workers of this process (`WATCHED_TOPICS`). Workers poll for it
   * themselves otherwise; initially they do.
   */
  setWatched(areWatched: boolean): void;
  /** As last set. */
  isWatched(): boolean;
  /**
   * `detail` is "" if notifications may have been lost; `local` is what a notifier of this process added. Returns a function
   * that stops listening.
   */
  on(topic: Topic, handler: (detail: string, local?: object) => void): () => void;
  /** The tables hold due work that no notification reported. Returns a function that stops listening. */
  onDue(topic: WatchedTopic, handler: () => void): () => void;
  close(): Promise<void>;
}

/** `origin` identifies this process, so that it ignores its own notifications. */
export async function createSignals(db: Database, origin: string): Promise<Signals> {
  const emitter = new EventEmitter().setMaxListeners(100);
  const due = new EventEmitter();
  let others = true;
  let watched = false;
  const unlisten = await db.listen(NOTIFICATIONS, (payload) => {
    const [from, topic, ...details] = payload.split(" ");
    if (topic === undefined) for (const each of emitter.eventNames()) emitter.emit(each, "");
    else if (from !== origin) {
      others = true;
      emitter.emit(topic, details.join(" "));
    }
  });
  return {
    notify(topic, detail = "", local) {
      emitter.emit(topic, detail, local);
      if (topic === "replies") return;
      if (others || !BUSY_TOPICS.has(topic)) db.notify(NOTIFICATIONS, `${origin} ${topic} ${detail}`);
    },
    setOthers(areThere) {
      others = areThere;
    },
    hasOthers: () => others,
    wake: (topic) => void due.emit(topic),
    setWatched(areWatched) {
      watched = areWatched;
    },
    isWatched: () => watched,
    on(topic, handler) {
      emitter.on(topic, handler);
      return () => void emitter.off(topic, handler);
    },
    onDue(topic, handler) {
      due.on(topic, handler);
      return () => void due.off(topic, handler);
    },
    close: unlisten,
  };
}

/** Notifies all nodes from a process that is none of them. It is sent before the database is closed. */
export function notifyNodes(db: Pick<Database, "notify">, topic: Topic, detail: string): void {
  db.notify(NOTIFICATIONS, `command ${topic} ${detail}`);
}

/** The payload of a NOTIFY is limited to 8,000 bytes. */
const CHATS_PER_NOTIFICATION = 200;

/** Call after jobs are stored: notifies the owners of the channels which chats have jobs. */
export function notifySends(
  signals: Pick<Signals, "notify">,
  stored: readonly { readonly channelId: string; readonly chat: string }[],
): void {
  for (const [channelId, jobs] of Map.groupBy(stored, (job) => job.channelId)) {
    const chats = [...new Set(jobs.map(({ chat }) => chat))];
    for (let from = 0; from < chats.length; from += CHATS_PER_NOTIFICATION)
      signals.notify("sends", [channelId, ...chats.slice(from, from + CHATS_PER_NOTIFICATION)].join(" "));
  }
}
