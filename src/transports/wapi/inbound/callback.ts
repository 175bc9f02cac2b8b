import type { AppChannel, AppLink, InboundReply, InboundRequest } from "../../../core/transport/connector.ts";
import { monotonicMs } from "../../../platform/clock.ts";
import { messageOf } from "../../../platform/message-of.ts";
import { readCall } from "../../kit/call-body.ts";
import { inSlices } from "../../kit/in-slices.ts";
import { isJson, itemsIn, objectIn } from "../../kit/json.ts";
import { confirmAddress, idsNamedIn, isSignedBy, keepCall, signatureIn } from "../../meta/callback.ts";
import { GraphRefusal } from "../../meta/error.ts";
import { channelFault } from "../errors.ts";
import type { WapiLink } from "../linking/access.ts";
import { fetchHealth } from "../linking/account.ts";
import { noteEnd } from "../linking/history.ts";
import { type Change, type Concern, readCallback, readOne } from "./changes.ts";
import { refreshTemplates } from "./template-refresh.ts";

/** Meta waits a few seconds for the response. */
const HEALTH_LIMIT_MS = 10_000;

type App = AppLink<WapiLink>;
type Channel = AppChannel<WapiLink>;

/**
 * Receives Meta's webhook calls for all channels. Meta retries a call that is not answered with 2xx, for up to seven
 * days.
 */
export async function receiveForApp(request: InboundRequest, app: App): Promise<InboundReply> {
  if (request.method === "GET")
    return confirmAddress(request.query, [app.callbackSecret, app.settings.verifyToken]);
  if (request.method !== "POST") return { status: 405 };
  const signature = signatureIn(request.headers);
  if (signature === null) return { status: 401 };
  const isApps = isSignedBy(request.body, signature, app.settings.appSecret);
  const owners = isApps ? [] : await ownersOf(request.body, signature, app);
  if (!isApps && owners.length === 0) {
    app.log("warn", "A webhook call signed with another app's secret was rejected");
    return { status: 401 };
  }
  if (!owners.every((owner) => app.mayTake(owner))) return { status: 429 };
  const changes = readCharged(request.body, owners, app);
  const secrets = new Set(owners.map(({ link }) => link.credentials.app_secret));
  const isTrusted = ({ link }: Channel): boolean => {
    const own = link.credentials.app_secret;
    return own === undefined || own === app.settings.appSecret ? isApps : secrets.has(own);
  };
  if ("reason" in changes) {
    const named = await app.find(idsNamedIn(changes.text));
    return keepCall(changes, named.filter(isTrusted), app);
  }
  if (changes.length === 0) app.reportUnknown("call");
  const trusted = (await app.find(idsOf(changes))).filter(isTrusted);
  const ready = trusted.filter((channel) => app.mayTake(channel));
  await deliver(changes, ready);
  return { status: ready.length === trusted.length ? 200 : 429 };
}

/**
 * Parses a call and charges its cost to the owners. An owner knows their own app secret and could sign any payload.
 */
function readCharged(body: Uint8Array, owners: readonly Channel[], app: App): Change[] | Unread {
  const began = performance.now();
  const changes = readChanges(body, owners.length > 0 ? MAX_VALUES.owner : MAX_VALUES.meta);
  const ms = performance.now() - began;
  for (const owner of owners) app.spend(owner, { bytes: body.length, ms });
  return changes;
}

/** For an unauthenticated caller, each secret tried costs one HMAC over the whole body. One app has one secret. */
const MAX_SECRETS = 4;

/**
 * The channels whose ids are in the body and whose own app secret matches the signature. The ids are found without
 * parsing JSON, because the body is not authenticated yet: anyone may send megabytes of hostile JSON with the ids of
 * other channels.
 */
async function ownersOf(body: Uint8Array, signature: string, app: App): Promise<readonly Channel[]> {
  const named = await app.find(idsNamedIn(textOf(body)));
  const secrets = new Set(named.flatMap(({ link }) => link.credentials.app_secret ?? []));
  const secret = [...secrets].slice(0, MAX_SECRETS).find((each) => isSignedBy(body, signature, each));
  return secret === undefined ? [] : named.filter(({ link }) => link.credentials.app_secret === secret);
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

/**
 * The largest number of values in a body. Meta's largest body has 3 MB and at most 1,000 items (page "Webhooks",
 * "Receiving updates"), each of about 20 to 60 values. An owner may craft a body that is slow to parse: this many
 * values take at most 50 ms.
 */
const MAX_VALUES = { meta: 150_000, owner: 60_000 };
const MAX_BYTES = 4 * 1024 * 1024;
/** Each of Meta's 1,000 items may be a change with a contact and a message or status. */
const MAX_ITEMS = 3_000;

interface Unread {
  readonly text: string;
  readonly reason: string;
}

function readChanges(body: Uint8Array, maxValues: number): Change[] | Unread {
  const call = readCall(body, { maxValues, maxBytes: MAX_BYTES });
  if ("reason" in call) return call;
  const unread = (reason: string): Unread => ({ text: textOf(body), reason });
  try {
    return countItems(call.json) > MAX_ITEMS
      ? unread(`The call has more than ${MAX_ITEMS} items`)
      : readCallback(call.json);
  } catch (error) {
    return unread(messageOf(error));
  }
}

/** Counts the items before any is mapped. */
function countItems(body: unknown): number {
  const changes = itemsIn(body, "entry").flatMap((entry) => itemsIn(entry, "changes"));
  const lists = changes.flatMap((change) => Object.values(objectIn(change, "value") ?? {}));
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), changes.length);
}

function idsOf(changes: readonly Change[]): { messengerIds: string[]; businessIds: string[] } {
  const concerns = changes.map(({ concern }) => concern);
  return {
    messengerIds: [...new Set(concerns.flatMap((each) => ("phoneId" in each ? [each.phoneId] : [])))],
    businessIds: [...new Set(concerns.flatMap((each) => ("wabaId" in each ? [each.wabaId] : [])))],
  };
}

function isConcerned({ messengerId, businessId, phone }: Channel, concern: Concern): boolean {
  if ("phoneId" in concern) return messengerId === concern.phoneId;
  return businessId === concern.wabaId && (concern.digits === undefined || concern.digits === phone);
}

/** Parses a dead letter again and emits its events. */
export async function reprocess(payload: unknown, link: WapiLink): Promise<void> {
  const change = isJson(payload) ? readOne(payload) : null;
  if (change === null) throw new Error("The payload contains no change");
  const { credentials } = link;
  const self = { messengerId: credentials.phone_number_id, businessId: credentials.waba_id, phone: "", link };
  const digits = "digits" in change.concern ? change.concern.digits : "";
  await deliver([change], [{ ...self, phone: digits ?? "" }]);
}

/** Calls `emit` in the order of the changes. */
async function deliver(changes: readonly Change[], channels: readonly Channel[]): Promise<void> {
  const emissions = changes.flatMap((change) =>
    channels.filter((channel) => isConcerned(channel, change.concern)).map(({ link }) => ({ change, link })),
  );
  for (const { change, link } of emissions) for (const note of change.notes) link.log("warn", note);
  const works = emissions.flatMap(({ change, link }) => [
    ...change.events.map((event) => () => link.emit(event)),
    ...(change.unread ?? []).map(
      ({ payload, reason }) =>
        () =>
          link.deadLetter(payload, reason),
    ),
    ...(change.unknown ?? []).map(
      ({ kind, sample }) =>
        () =>
          link.reportUnknown(kind, sample),
    ),
  ]);
  await inSlices(works, (work) => work());
  for (const { change, link } of emissions) if (change.endsHistory === true) await noteEnd(link);
  // Nothing else checks a blocked channel, so if this fails, Meta must repeat the notification that the block has
  // ended.
  for (const link of toRefresh(emissions, "health")) await refreshHealth(link);
  // The session fetches templates periodically anyway, so this runs in the background.
  for (const link of toRefresh(emissions, "templates")) void refreshTemplates(link);
}

/** Each channel once, however many changes of a call require the refresh. */
function toRefresh(
  emissions: readonly { readonly change: Change; readonly link: WapiLink }[],
  what: NonNullable<Change["refresh"]>,
): ReadonlySet<WapiLink> {
  return new Set(emissions.filter(({ change }) => change.refresh === what).map(({ link }) => link));
}

async function refreshHealth(link: WapiLink): Promise<void> {
  const signal = AbortSignal.any([link.signal, AbortSignal.timeout(HEALTH_LIMIT_MS)]);
  const askedAt = monotonicMs();
  try {
    const { state, tier } = await fetchHealth(link, signal);
    await link.emit({ kind: "link", state, askedAt });
    if (tier !== null) await link.emit({ kind: "tier", tier });
  } catch (error) {
    // A dead token also determines the state of the channel.
    const reason = error instanceof GraphRefusal ? channelFault(error.error) : null;
    if (reason === null) throw error;
    await link.emit({ kind: "link", state: { status: "disabled", reason }, askedAt });
  }
}
