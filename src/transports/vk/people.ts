import { describe } from "../kit/failures.ts";
import type { Community } from "./community.ts";
import { isGroupChat } from "./inbound.ts";
import { readConversations, readPeople, type VkEvent, type VkPerson } from "./update.ts";

type Asker = Pick<Community, "link" | "client" | "signal">;

/** A message must not wait long for the name of its author. */
const LIMIT_MS = 2_000;
/** `users.get` takes at most a thousand ids (dev.vk.com). */
const MAX_IDS = 1_000;
const KEPT = 20_000;
const FRESH_MS = 60 * 60_000;

interface Known {
  readonly person: VkPerson;
  readonly atMs: number;
}

/** People that this process has seen, the latest last: profiles are the same for every community. */
const known = new Map<string, Known>();

export interface Names {
  readonly personOf: (userId: string) => VkPerson | undefined;
  readonly titleOf: (peerId: string) => string;
}

/** The people and conversations that events speak of; the events hold ids alone. */
export async function findNames(events: readonly VkEvent[], asker: Asker): Promise<Names> {
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

/** Communities have negative ids. */
function userIdsOf(event: VkEvent): string[] {
  if (event.type === "message_read" || event.type === "message_edit") return [];
  const peerId = peerIdOf(event);
  const fromId = event.message.from_id ?? event.object.user_id;
  const ids = [fromId, peerId !== undefined && isGroupChat(peerId) ? undefined : peerId];
  return ids.filter((id): id is string => id !== undefined && /^[1-9]\d*$/.test(id));
}

async function findPeople(ids: readonly string[], asker: Asker): Promise<ReadonlyMap<string, VkPerson>> {
  const nowMs = Date.now();
  const missing = ids.filter((id) => nowMs - (known.get(id)?.atMs ?? 0) > FRESH_MS).slice(0, MAX_IDS);
  if (missing.length > 0) await fetchPeople(missing, asker);
  return new Map(ids.flatMap((id) => (known.get(id) ? [[id, known.get(id)?.person ?? {}] as const] : [])));
}

async function fetchPeople(ids: readonly string[], asker: Asker): Promise<void> {
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

async function findTitles(peerIds: readonly string[], asker: Asker): Promise<ReadonlyMap<string, string>> {
  if (peerIds.length === 0) return new Map();
  const answer = await ask("messages.getConversationsById", { peer_ids: peerIds.join(",") }, asker);
  const items = readConversations(answer)?.items ?? [];
  return new Map(
    items.flatMap(({ peer, chat_settings }) =>
      peer?.id === undefined ? [] : [[peer.id, chat_settings?.title ?? ""] as const],
    ),
  );
}

/** Until when VK is not asked for names again, by channel: it did not answer in time. */
const restUntil = new Map<string, number>();
const REST_MS = 30_000;

/** Undefined where VK does not answer in time: names are ornaments. */
async function ask(method: string, params: Readonly<Record<string, string>>, asker: Asker): Promise<unknown> {
  const { client, link, signal } = asker;
  if ((restUntil.get(link.channelId) ?? 0) > Date.now()) return undefined;
  restUntil.delete(link.channelId);
  try {
    return await client.call(method, params, AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]));
  } catch (error) {
    restUntil.set(link.channelId, Date.now() + REST_MS);
    link.log("debug", "VK: names were not found", { detail: describe(error, client) });
    return undefined;
  }
}
