import { setTimeout as delay } from "node:timers/promises";
import type { ChannelProfile } from "../../../core/transport/events.ts";
import { messageOf } from "../../../platform/message-of.ts";
import { jittered, runRetryLoop } from "../../kit/retry-loop.ts";
import { type AvitoChannel, accountPath, persistence } from "../channel.ts";
import { isChatRefusal, mayConcernChat, Refusal } from "../errors.ts";
import { fetchProfile } from "../linking/account.ts";
import { keepWebhook, webhookUrl } from "./callback.ts";
import { ChatWatch, type Listed } from "./chat-watch.ts";
import { readChats } from "./update.ts";

/** State key. Unix seconds: every message written before this time has been emitted. */
const EMITTED_UP_TO_KEY = "told";
const PAGE = 100;
const MAX_OFFSET = 1_000;
/** Avito's timestamps are in seconds, so more messages may still be written within the current second. */
const SETTLED_S = 5;
/** After this many failures, a round ends. */
const MAX_FAILURES = 3;

/** Times beyond this in the future are implausible. */
const CLOCKS_DIFFER_S = 86_400;

/** Ends a wait early. */
export interface Signal {
  notify(): void;
  /** Resolves when `notify` is called, after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createSignal(): Signal {
  let stop = new AbortController();
  return {
    notify: () => stop.abort(),
    async wait(ms, signal) {
      await delay(ms, undefined, { signal: AbortSignal.any([signal, stop.signal]) }).catch(() => undefined);
      stop = new AbortController();
    },
  };
}

/**
 * Keeps the webhook registered, and polls the chats for what webhooks do not report: messages that arrived while no
 * webhook could be delivered, messages that the owner wrote on Avito, deletions and read receipts. Ends when the
 * channel closes or its access is revoked. Never rejects.
 */
export async function keepReceiving(channel: AvitoChannel, alarm: Signal): Promise<void> {
  const { link, client, signal, timing, announce } = channel;
  const watch = new ChatWatch(channel);
  const url = webhookUrl(link);
  let profile: ChannelProfile | null = null;
  await runRetryLoop(persistence(channel), async () => {
    profile ??= await fetchProfile(client, signal);
    if (url !== null) await keepWebhook(channel, url);
    const isComplete = await pollChats(channel, watch);
    await announce({ status: "active", profile });
    const usual = url === null ? timing.pollMs : jittered(timing.checkMs);
    await alarm.wait(isComplete ? usual : timing.firstPauseMs, signal);
    return "again";
  });
}

/** Reads all chats that may have changed. Returns false if a chat must be read again soon. */
async function pollChats(channel: AvitoChannel, watch: ChatWatch): Promise<boolean> {
  const { link } = channel;
  const kept = await link.state.get(EMITTED_UP_TO_KEY);
  const since = kept === null ? undefined : Number(kept);
  const chats = await fetchChats(channel, since ?? Infinity);
  // An implausible time would become the position, and nothing would be new any more.
  const latest = Date.now() / 1000 + CLOCKS_DIFFER_S;
  const newest = Math.max(0, ...chats.map(({ updated = 0 }) => (updated > latest ? 0 : updated)));
  // Messages written before the channel was connected are not emitted.
  const from = since ?? firstNewSecond(newest);
  let isComplete = true;
  const failures: unknown[] = [];
  for (const chat of watch.due(chats, from)) {
    const outcome = await readSafely(channel, watch, { chat, from });
    if (outcome !== true) isComplete = false;
    if (typeof outcome === "object" && failures.push(outcome.failure) >= MAX_FAILURES) break;
  }
  if (failures.length > 0) throw failures[0];
  // A skipped chat may have more new messages than its last one, so the position must not advance.
  const emittedUpTo = isComplete ? Math.max(from, newest) : from;
  if (String(emittedUpTo) !== kept) await link.state.set(EMITTED_UP_TO_KEY, String(emittedUpTo));
  return isComplete;
}

/**
 * A chat that Avito does not show to this account, or that repeatedly cannot be read, must not block the others.
 * Throws what does not concern the chat.
 */
async function readSafely(
  { link }: AvitoChannel,
  watch: ChatWatch,
  { chat, from }: { readonly chat: Listed; readonly from: number },
): Promise<boolean | { readonly failure: unknown }> {
  try {
    return await watch.readChat(chat, from);
  } catch (error) {
    if (!mayConcernChat(error)) throw error;
    const isRefused = error instanceof Refusal;
    if (!(isRefused && isChatRefusal(error)) && !watch.fail(chat, isRefused)) return { failure: error };
    link.log("warn", "Avito: a chat was refused", { chatId: chat.id, detail: messageOf(error) });
    watch.skip(chat);
    return true;
  }
}

/** The first second whose messages are new, given the time of the newest message; Unix seconds. */
export function firstNewSecond(newest: number, now: number = Date.now() / 1000): number {
  const isOver = newest < now - SETTLED_S;
  return isOver ? newest + 1 : newest;
}

/** Fetches the chats, latest message first: at least one page, and all that changed since. */
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
