import type { ChannelProfile } from "../../core/transport/events.ts";
import { fields, integerText, number } from "../../platform/foreign/foreign-json.ts";
import { unreadable } from "../kit/no-response.ts";
import { MIN_HOLD_MS } from "../kit/receiving.ts";
import { runRetryLoop } from "../kit/retry-loop.ts";
import { catchUp, noteReceived } from "./catch-up.ts";
import { API_VERSION } from "./client.ts";
import { type Community, fetchProfile, persistence } from "./community.ts";
import { deliver } from "./delivery.ts";
import { EVENT_TYPES } from "./inbound.ts";
import { readLongPoll } from "./update.ts";

/** How long VK holds a request without events (dev.vk.com, "Bots Long Poll API", recommends 25). */
export const WAIT_SECONDS = 25;
const SHORTEST_WAIT = 1;
/** State key of the last stored position (`ts`). */
const POSITION_KEY = "ts";

interface LongPollServer {
  readonly server: string;
  readonly key: string;
  ts: string;
}

const checked = fields({ failed: number, ts: integerText });

/** Long polling until the channel closes or its key becomes invalid. A position is stored only after its events. */
export async function poll(community: Community): Promise<void> {
  let profile: ChannelProfile | null = null;
  let server: LongPollServer | null = null;
  let failedBefore = false;
  let accessSeenAt = performance.now();
  let isUnproved = false;
  await runRetryLoop(persistence(community), async () => {
    // The server of the long poll does not check the community's key.
    if (performance.now() - accessSeenAt > community.timing.accessMs) profile = null;
    if (profile === null) accessSeenAt = performance.now();
    profile ??= await fetchProfile(community.client, community.signal);
    server ??= await openServer(community, profile);
    // After a failure, a request that VK does not hold has to succeed first.
    const mustProve = isUnproved;
    isUnproved = true;
    const active = { status: "active", profile } as const;
    if (!mustProve) await community.announce(active);
    const askedAt = performance.now();
    const known = { profile, server };
    const { desk, hasFailed }: Checked = await check(
      community,
      known,
      mustProve ? SHORTEST_WAIT : WAIT_SECONDS,
    );
    if (hasFailed && failedBefore) {
      server = null;
      throw unreadable(200, "VK", true);
    }
    isUnproved = false;
    await community.announce(active);
    const isNew = !hasFailed && desk?.ts !== server.ts;
    [server, failedBefore] = [desk, hasFailed];
    return isNew || performance.now() - askedAt > MIN_HOLD_MS ? "again" : community.timing.firstPauseMs;
  });
}

/** Resumes at the stored position. If VK no longer has its events, `check` finds out. */
async function openServer(community: Community, profile: ChannelProfile): Promise<LongPollServer> {
  const desk = await requestServer(community, profile);
  const { state } = community.link;
  const kept = await state.get(POSITION_KEY);
  if (kept !== null) return { ...desk, ts: kept };
  // The channel may have received by webhook before. From this position on, events can be missed.
  await catchUp(community);
  await state.set(POSITION_KEY, desk.ts);
  return desk;
}

/** Requests a new server, key and current position. */
async function requestServer(
  { client, signal }: Community,
  { messengerId }: ChannelProfile,
): Promise<LongPollServer> {
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

/**
 * Called when VK has dropped events. Fetches the missed messages only after the new position is known, so that no gap
 * remains.
 */
async function resumeAt(community: Community, desk: LongPollServer): Promise<LongPollServer> {
  await catchUp(community);
  await community.link.state.set(POSITION_KEY, desk.ts);
  return desk;
}

interface Checked {
  /** For the next request; null if a new key is needed. */
  readonly desk: LongPollServer | null;
  /** VK reported `failed`. */
  readonly hasFailed: boolean;
}

/** Makes one request (dev.vk.com, "Bots Long Poll API": `failed` 1, 2, 3). */
async function check(
  community: Community,
  { profile, server: desk }: { readonly profile: ChannelProfile; readonly server: LongPollServer },
  waitSeconds: number,
): Promise<Checked> {
  const { client, link, signal } = community;
  const query = new URLSearchParams({
    act: "a_check",
    key: desk.key,
    ts: desk.ts,
    wait: String(waitSeconds),
  });
  const answer = await client.fetch({
    method: "GET",
    url: `${desk.server}?${query}`,
    timeoutMs: (waitSeconds + 15) * 1000,
    signal,
  });
  const body: unknown = await answer.json().catch(() => undefined);
  const read = checked(body);
  if (answer.status !== 200 || read === undefined) throw unreadable(answer.status, "VK", true);
  if (read.failed !== undefined) {
    const { failed, ts } = read;
    if (failed === 2) return { desk: null, hasFailed: true };
    const next = failed === 1 && ts !== undefined ? { ...desk, ts } : await requestServer(community, profile);
    return { desk: await resumeAt(community, next), hasFailed: true };
  }
  const updates: unknown = (body as { readonly updates?: unknown }).updates;
  if (!Array.isArray(updates)) throw unreadable(answer.status, "VK", true);
  await deliver(updates, community);
  if (read.ts === undefined || read.ts === desk.ts) return { desk, hasFailed: false };
  await link.state.set(POSITION_KEY, read.ts);
  await noteReceived(community);
  return { desk: { ...desk, ts: read.ts }, hasFailed: false };
}
