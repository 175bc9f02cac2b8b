import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { describe } from "../kit/failures.ts";
import type { Community } from "./community.ts";
import { completed } from "./cropped.ts";
import { concernsOne, Refusal } from "./errors.ts";
import { fromMessage } from "./inbound.ts";
import { findNames } from "./people.ts";
import { readConversations, readHistory, type VkMessage } from "./update.ts";

/** State key of the time up to which everything has been received, in ms since 1970. */
const RECEIVED_UNTIL = "receivedUntil";
/** Allows for clock differences and late events. */
const OVERLAP_MS = 5 * 60_000;
const PAGE = 200;
/** Limits of one catch-up: conversations, and messages per conversation. */
const MAX_CONVERSATIONS = 2_000;
const MAX_MESSAGES = 2_000;

type Receiver = Pick<Community, "link" | "client" | "signal">;

/** Records that all events so far have been stored. */
export async function noteReceived({ link }: Receiver): Promise<void> {
  await link.state.set(RECEIVED_UNTIL, String(Date.now()));
}

/**
 * Emits the messages that arrived at VK since the last call of `noteReceived`. Messages already stored are not stored
 * twice. Does nothing for a channel that has never been connected.
 */
export async function catchUp(receiver: Receiver): Promise<void> {
  const { link, client } = receiver;
  const until = Number(await link.state.get(RECEIVED_UNTIL));
  if (until === 0) return noteReceived(receiver);
  const since = new Date(until - OVERLAP_MS);
  const beganMs = Date.now();
  try {
    for (const peerId of await changedConversations(since, receiver))
      await catchUpOne(peerId, since, receiver).catch((error: unknown) => {
        if (!(error instanceof Refusal && concernsOne(error))) throw error;
        link.log("warn", "VK: a conversation was refused", { peerId, detail: describe(error, client) });
      });
    await link.state.set(RECEIVED_UNTIL, String(beganMs));
  } catch (error) {
    link.log("warn", "VK: missed messages could not be fetched", { detail: describe(error, client) });
    throw error;
  }
}

/**
 * Conversations whose last message is at least this recent, newest first (dev.vk.com, `messages.getConversations`).
 */
async function changedConversations(since: Date, { client, signal }: Receiver): Promise<readonly string[]> {
  const found: string[] = [];
  for (let offset = 0; offset < MAX_CONVERSATIONS; offset += PAGE) {
    const answer = await client.call("messages.getConversations", { count: PAGE, offset }, signal);
    const items = readConversations(answer)?.items ?? [];
    const changed = items.filter(({ last_message }) => isSince(last_message, since));
    found.push(...changed.flatMap(({ conversation }) => conversation?.peer?.id ?? []));
    if (changed.length < items.length || items.length < PAGE) break;
    if (!changed.some(({ last_message }) => isDated(last_message))) break;
  }
  return found;
}

async function catchUpOne(peerId: string, since: Date, receiver: Receiver): Promise<void> {
  const missed: VkMessage[] = [];
  for (let offset = 0; offset < MAX_MESSAGES; offset += PAGE) {
    const params = { peer_id: peerId, count: PAGE, offset };
    const answer = await receiver.client.call("messages.getHistory", params, receiver.signal);
    const items = readHistory(answer)?.items ?? [];
    const recent = items.filter((message) => isSince(message, since));
    missed.push(...recent);
    if (recent.length < items.length || items.length < PAGE || !recent.some(isDated)) break;
  }
  const whole = await completed(missed.toReversed(), receiver);
  const events = whole.map((message) => ({ message, object: {}, type: "message_new" }));
  const names = await findNames(
    events.map((event) => ({ ...event, ...NO_ENVELOPE })),
    receiver,
  );
  const context = { ...names, now: new Date() };
  await Promise.all(
    events.flatMap(({ message }) => {
      const isOut = message.out === 1;
      if (isOut && message.admin_author_id === undefined && message.random_id !== 0) return [];
      return fromMessage(message, isOut ? "echo" : "in", context).map((event) => receiver.link.emit(event));
    }),
  );
}

const NO_ENVELOPE = { id: undefined, groupId: undefined, secret: undefined, payload: undefined } as const;

/** A message without a readable date counts as recent, but is no reason to fetch older ones. */
function isDated(message: VkMessage | undefined): boolean {
  const now = new Date();
  return dateFromUnix(message?.date, now) !== now;
}

function isSince(message: VkMessage | undefined, since: Date): boolean {
  return dateFromUnix(message?.date).getTime() >= since.getTime();
}
