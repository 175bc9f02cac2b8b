import { describe } from "../kit/failures.ts";
import type { Community } from "./community.ts";
import { isGroupChat, newTitleOf } from "./inbound.ts";
import { readConversations, readPeople, type VkEvent, type VkPerson } from "./update.ts";

type Requester = Pick<Community, "link" | "client" | "signal">;

/** How long a message waits for the name of its author. */
const LIMIT_MS = 2_000;
/** `users.get` accepts at most a thousand ids (dev.vk.com). */
const MAX_IDS = 1_000;
const KEPT = 20_000;
const FRESH_MS = 60 * 60_000;
/** After this long, VK is asked again for a name that it did not return. */
const UNKNOWN_MS = 10 * 60_000;

interface Known<Value> {
  /** Undefined if VK did not return it. */
  readonly value: Value | undefined;
  readonly untilMs: number;
}

/** Profiles seen by this process, least recent first. A profile is the same for every community. */
const known = new Map<string, Known<VkPerson>>();
/** Titles of group chats, least recent first. The ids are the community's own. */
const titles = new Map<string, Known<string>>();

export interface Names {
  readonly personOf: (userId: string) => VkPerson | undefined;
  readonly titleOf: (peerId: string) => string;
}

/** Fetches the names of the people and conversations in events, which contain ids only. */
export async function findNames(events: readonly VkEvent[], asker: Requester): Promise<Names> {
  for (const { message } of events) {
    const title = newTitleOf(message);
    if (title !== undefined) remember(titles, titleKeyOf(asker, message.peer_id ?? ""), title);
  }
  const userIds = new Set(events.flatMap(userIdsOf));
  const peerIds = new Set(events.map(peerIdOf).filter((id) => id !== undefined && isGroupChat(id)));
  const [people, found] = await Promise.all([
    findPeople([...userIds], asker),
    findTitles(
      [...peerIds].filter((id) => id !== undefined),
      asker,
    ),
  ]);
  return { personOf: (id) => people.get(id), titleOf: (id) => found.get(id) ?? "" };
}

function peerIdOf({ object, message }: VkEvent): string | undefined {
  return message.peer_id ?? object.peer_id;
}

/** Excludes communities, whose ids are negative. */
function userIdsOf(event: VkEvent): string[] {
  if (["message_read", "message_edit", "message_typing_state"].includes(event.type)) return [];
  const peerId = peerIdOf(event);
  const fromId = event.message.from_id ?? event.object.user_id ?? event.object.reacted_id;
  const ids = [fromId, peerId !== undefined && isGroupChat(peerId) ? undefined : peerId];
  return ids.filter((id): id is string => id !== undefined && /^[1-9]\d*$/.test(id));
}

async function findPeople(ids: readonly string[], asker: Requester): Promise<ReadonlyMap<string, VkPerson>> {
  const missing = ids.filter((id) => isStale(known.get(id))).slice(0, MAX_IDS);
  if (missing.length > 0) await fetchPeople(missing, asker);
  return new Map(
    ids.flatMap((id) => {
      const person = known.get(id)?.value;
      return person === undefined ? [] : [[id, person] as const];
    }),
  );
}

async function fetchPeople(ids: readonly string[], asker: Requester): Promise<void> {
  const params = { user_ids: ids.join(","), fields: "photo_200,screen_name" };
  const answer = await ask("users.get", params, asker);
  if (answer === undefined) return;
  const found = new Map((readPeople(answer) ?? []).map((person) => [person.id, person] as const));
  for (const id of ids) remember(known, id, found.get(id));
}

async function findTitles(
  peerIds: readonly string[],
  asker: Requester,
): Promise<ReadonlyMap<string, string>> {
  const keyOf = (peerId: string): string => titleKeyOf(asker, peerId);
  const missing = peerIds.filter((id) => isStale(titles.get(keyOf(id))));
  if (missing.length > 0 && !isPaused(asker)) {
    const answer = await ask("messages.getConversationsById", { peer_ids: missing.join(",") }, asker);
    const items = readConversations(answer)?.items ?? [];
    const found = new Map(items.map(({ peer, chat_settings }) => [peer?.id, chat_settings?.title] as const));
    for (const id of missing) remember(titles, keyOf(id), found.get(id));
  }
  return new Map(peerIds.map((id) => [id, titles.get(keyOf(id))?.value ?? ""]));
}

const titleKeyOf = ({ link }: Requester, peerId: string): string => `${link.channelId}:${peerId}`;

function isStale(entry: Known<unknown> | undefined): boolean {
  return entry === undefined || entry.untilMs <= Date.now();
}

/** What VK does not return does not replace what is known. */
function remember<Value>(all: Map<string, Known<Value>>, key: string, found: Value | undefined): void {
  const value = found ?? all.get(key)?.value;
  all.delete(key);
  all.set(key, { value, untilMs: Date.now() + (found === undefined ? UNKNOWN_MS : FRESH_MS) });
  const [oldest] = all.keys();
  if (all.size > KEPT && oldest !== undefined) all.delete(oldest);
}

/** Channel id → time until which no names are requested, after a request failed or timed out. */
const pausedUntil = new Map<string, number>();
const PAUSE_MS = 30_000;

function isPaused({ link }: Requester): boolean {
  return (pausedUntil.get(link.channelId) ?? 0) > Date.now();
}

/** Returns undefined if VK does not respond in time: names are optional. */
async function ask(
  method: string,
  params: Readonly<Record<string, string>>,
  asker: Requester,
): Promise<unknown> {
  const { client, link, signal } = asker;
  if (isPaused(asker)) return undefined;
  pausedUntil.delete(link.channelId);
  try {
    return await client.call(method, params, AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]));
  } catch (error) {
    pausedUntil.set(link.channelId, Date.now() + PAUSE_MS);
    link.log("debug", "VK: names could not be fetched", { detail: describe(error, client) });
    return undefined;
  }
}
