import { describe } from "../kit/failures.ts";
import type { Community } from "./community.ts";
import { isGroupChat } from "./inbound.ts";
import { readConversations, readPeople, type VkEvent, type VkPerson } from "./update.ts";

type Requester = Pick<Community, "link" | "client" | "signal">;

/** How long a message waits for the name of its author. */
const LIMIT_MS = 2_000;
/** `users.get` accepts at most a thousand ids (dev.vk.com). */
const MAX_IDS = 1_000;
const KEPT = 20_000;
const FRESH_MS = 60 * 60_000;

interface Known {
  readonly person: VkPerson;
  readonly atMs: number;
}

/** Profiles seen by this process, least recent first. A profile is the same for every community. */
const known = new Map<string, Known>();

export interface Names {
  readonly personOf: (userId: string) => VkPerson | undefined;
  readonly titleOf: (peerId: string) => string;
}

/** Fetches the names of the people and conversations in events, which contain ids only. */
export async function findNames(events: readonly VkEvent[], asker: Requester): Promise<Names> {
  const userIds = new Set(events.flatMap(userIdsOf));
  const peerIds = new Set(events.map(peerIdOf).filter((id) => id !== undefined && isGroupChat(id)));
  const [people, titles] = await Promise.all([
    findPeople([...userIds], asker),
    findTitles(
      [...peerIds].filter((id) => id !== undefined),
      asker,
    ),
  ]);
  return { personOf: (id) => people.get(id), titleOf: (id) => titles.get(id) ?? "" };
}

function peerIdOf({ object, message }: VkEvent): string | undefined {
  return message.peer_id ?? object.peer_id;
}

/** Excludes communities, whose ids are negative. */
function userIdsOf(event: VkEvent): string[] {
  if (event.type === "message_read" || event.type === "message_edit") return [];
  const peerId = peerIdOf(event);
  const fromId = event.message.from_id ?? event.object.user_id;
  const ids = [fromId, peerId !== undefined && isGroupChat(peerId) ? undefined : peerId];
  return ids.filter((id): id is string => id !== undefined && /^[1-9]\d*$/.test(id));
}

async function findPeople(ids: readonly string[], asker: Requester): Promise<ReadonlyMap<string, VkPerson>> {
  const nowMs = Date.now();
  const missing = ids.filter((id) => nowMs - (known.get(id)?.atMs ?? 0) > FRESH_MS).slice(0, MAX_IDS);
  if (missing.length > 0) await fetchPeople(missing, asker);
  return new Map(ids.flatMap((id) => (known.get(id) ? [[id, known.get(id)?.person ?? {}] as const] : [])));
}

async function fetchPeople(ids: readonly string[], asker: Requester): Promise<void> {
  const params = { user_ids: ids.join(","), fields: "photo_200,screen_name" };
  const found = readPeople(await ask("users.get", params, asker)) ?? [];
  for (const person of found) {
    if (person.id === undefined) continue;
    known.delete(person.id);
    known.set(person.id, { person, atMs: Date.now() });
  }
  for (const id of known.keys()) {
    if (known.size <= KEPT) break;
    known.delete(id);
  }
}

async function findTitles(
  peerIds: readonly string[],
  asker: Requester,
): Promise<ReadonlyMap<string, string>> {
  if (peerIds.length === 0) return new Map();
  const answer = await ask("messages.getConversationsById", { peer_ids: peerIds.join(",") }, asker);
  const items = readConversations(answer)?.items ?? [];
  return new Map(
    items.flatMap(({ peer, chat_settings }) =>
      peer?.id === undefined ? [] : [[peer.id, chat_settings?.title ?? ""] as const],
    ),
  );
}

/** Channel id → time until which no names are requested, after a request failed or timed out. */
const pausedUntil = new Map<string, number>();
const PAUSE_MS = 30_000;

/** Returns undefined if VK does not respond in time: names are optional. */
async function ask(
  method: string,
  params: Readonly<Record<string, string>>,
  asker: Requester,
): Promise<unknown> {
  const { client, link, signal } = asker;
  if ((pausedUntil.get(link.channelId) ?? 0) > Date.now()) return undefined;
  pausedUntil.delete(link.channelId);
  try {
    return await client.call(method, params, AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]));
  } catch (error) {
    pausedUntil.set(link.channelId, Date.now() + PAUSE_MS);
    link.log("debug", "VK: names could not be fetched", { detail: describe(error, client) });
    return undefined;
  }
}
