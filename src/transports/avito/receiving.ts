import { setTimeout as delay } from "node:timers/promises";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { jittered, keepGoing } from "../kit/keep-going.ts";
import { fetchProfile } from "./account.ts";
import { keepWebhook, webhookUrl } from "./callback.ts";
import { type AvitoChannel, accountPath, persistence } from "./channel.ts";
import { ChatWatch, type Listed } from "./chat-watch.ts";
import { readChats } from "./update.ts";

/** Unix seconds: everything that was written before has been told. */
const TOLD = "told";
const PAGE = 100;
const MAX_OFFSET = 1_000;
/** Since Avito counts in seconds, more may have been written in one that is not over yet. */
const SETTLED_S = 5;

/** Wakes the work before its time. */
export interface Alarm {
  ring(): void;
  /** Resolves when it rings, or after so long, or when the channel closes. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createAlarm(): Alarm {
  let stop = new AbortController();
  return {
    ring: () => stop.abort(),
    async wait(ms, signal) {
      await delay(ms, undefined, { signal: AbortSignal.any([signal, stop.signal]) }).catch(() => undefined);
      stop = new AbortController();
    },
  };
}

/**
 * Looks after the webhook, and at the chats for what webhooks do not tell: what came while nobody could be called, what
 * the owner wrote on Avito, what was deleted, and which of our messages were read. Ends when the channel closes or its
 * access is gone. Never rejects.
 */
export async function keepReceiving(channel: AvitoChannel, alarm: Alarm): Promise<void> {
  const { link, client, signal, timing, announce } = channel;
  const watch = new ChatWatch(channel);
  const url = webhookUrl(link);
  let profile: ChannelProfile | null = null;
  await keepGoing(persistence(channel), async () => {
    profile ??= await fetchProfile(client, signal);
    if (url !== null) await keepWebhook(channel, url);
    const isWhole = await lookAround(channel, watch);
    await announce({ status: "active", profile });
    const usual = url === null ? timing.pollMs : jittered(timing.checkMs);
    await alarm.wait(isWhole ? usual : timing.firstPauseMs, signal);
    return "again";
  });
}

/** One look at all chats that may have news. False when a chat has to be looked at again, soon. */
async function lookAround(channel: AvitoChannel, watch: ChatWatch): Promise<boolean> {
  const { link } = channel;
  const kept = await link.state.get(TOLD);
  const since = kept === null ? undefined : Number(kept);
  const chats = await fetchChats(channel, since ?? Infinity);
  const newest = Math.max(0, ...chats.map(({ updated = 0 }) => updated));
  // What was said before the channel was connected is no news.
  const from = since ?? firstMoment(newest);
  let isWhole = true;
  for (const chat of watch.due(chats, from)) if (!(await watch.look(chat, from))) isWhole = false;
  // A chat that was passed over has more to tell than its last message.
  const told = isWhole ? Math.max(from, newest) : from;
  if (String(told) !== kept) await link.state.set(TOLD, String(told));
  return isWhole;
}

/** The first second whose messages are news, where `newest` is when somebody wrote last; Unix seconds. */
export function firstMoment(newest: number, now: number = Date.now() / 1000): number {
  const isOver = newest < now - SETTLED_S;
  return isOver ? newest + 1 : newest;
}

/** The chats in the order of their last messages, the latest first; at least one page, and all that changed since. */
async function fetchChats({ link, client, signal }: AvitoChannel, since: number): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  for (let offset = 0; offset <= MAX_OFFSET; offset += PAGE) {
    const query = { chat_types: "u2i,u2u,a2u", limit: PAGE, offset };
    const { chats = [] } =
      readChats(await client.call("GET", accountPath(link, "v2", "/chats"), { query, signal })) ?? {};
    found.push(...chats.flatMap((chat) => (chat.id === undefined ? [] : [{ ...chat, id: chat.id }])));
    if (chats.length < PAGE || (chats.at(-1)?.updated ?? 0) < since) break;
  }
  return found;
}
