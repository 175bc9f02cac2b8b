import type { ChannelProfile } from "../../core/transport/events.ts";
import { fields, integerText, number } from "../../platform/foreign-json.ts";
import { keepGoing } from "../kit/keep-going.ts";
import { unreadable } from "../kit/no-answer.ts";
import { catchUp, noteReceived } from "./catch-up.ts";
import { API_VERSION } from "./client.ts";
import { type Community, fetchProfile, persistence } from "./community.ts";
import { deliver } from "./delivery.ts";
import { EVENT_TYPES } from "./inbound.ts";
import { readLongPoll } from "./update.ts";

/** VK holds a request without news for this long (dev.vk.com, "Bots Long Poll API": 25 is what it recommends). */
const WAIT_SECONDS = 25;
/** Where the number of the last event is kept. */
const TS = "ts";

interface Desk {
  readonly server: string;
  readonly key: string;
  ts: string;
}

const checked = fields({ failed: number, ts: integerText });

/** Long polling until the channel closes or its key dies. The number of an event is kept only when it is stored. */
export async function poll(community: Community): Promise<void> {
  let profile: ChannelProfile | null = null;
  let desk: Desk | null = null;
  await keepGoing(persistence(community), async () => {
    profile ??= await fetchProfile(community.client, community.signal);
    desk ??= await openDesk(community, profile);
    await community.announce({ status: "active", profile });
    desk = await check(community, profile, desk);
    return "again";
  });
}

/** Goes on at the kept number; where VK has forgotten it, `check` is told. */
async function openDesk(community: Community, profile: ChannelProfile): Promise<Desk> {
  const desk = await newDesk(community, profile);
  const { state } = community.link;
  const kept = await state.get(TS);
  if (kept !== null) return { ...desk, ts: kept };
  // From here on something can be missed.
  await noteReceived(community);
  await state.set(TS, desk.ts);
  return desk;
}

/** A new key, with the number of the event that comes next. */
async function newDesk({ client, signal }: Community, { messengerId }: ChannelProfile): Promise<Desk> {
  const wanted = Object.fromEntries(EVENT_TYPES.map((type) => [type, 1]));
  const settings = { group_id: messengerId, enabled: 1, api_version: API_VERSION, ...wanted };
  await client.call("groups.setLongPollSettings", settings, signal);
  const answer = readLongPoll(
    await client.call("groups.getLongPollServer", { group_id: messengerId }, signal),
  );
  if (answer?.server === undefined || answer.key === undefined || answer.ts === undefined)
    throw unreadable(200, "VK", true);
  const { server, key, ts } = answer;
  return { server, key, ts };
}

/** Events are gone: what they told of is looked up once it is certain from which number on the others come. */
async function goOnAt(community: Community, desk: Desk): Promise<Desk> {
  await catchUp(community);
  await community.link.state.set(TS, desk.ts);
  return desk;
}

/** One request. Null where a new key is needed (dev.vk.com, "Bots Long Poll API": `failed` 1, 2, 3). */
async function check(community: Community, profile: ChannelProfile, desk: Desk): Promise<Desk | null> {
  const { client, link, signal } = community;
  const query = new URLSearchParams({
    act: "a_check",
    key: desk.key,
    ts: desk.ts,
    wait: String(WAIT_SECONDS),
  });
  const answer = await client.fetch({
    method: "GET",
    url: `${desk.server}?${query}`,
    timeoutMs: (WAIT_SECONDS + 15) * 1000,
    signal,
  });
  const body: unknown = await answer.json().catch(() => undefined);
  const read = checked(body);
  if (answer.status !== 200 || read === undefined) throw unreadable(answer.status, "VK", true);
  if (read.failed === 2) return null;
  if (read.failed === 1 && read.ts !== undefined) return goOnAt(community, { ...desk, ts: read.ts });
  if (read.failed !== undefined) return goOnAt(community, await newDesk(community, profile));
  const updates: unknown = (body as { readonly updates?: unknown }).updates;
  await deliver(Array.isArray(updates) ? updates : [], community);
  if (read.ts === undefined || read.ts === desk.ts) return desk;
  await link.state.set(TS, read.ts);
  await noteReceived(community);
  return { ...desk, ts: read.ts };
}
