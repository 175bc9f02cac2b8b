import type { AppChannel, AppLink, InboundReply, InboundRequest } from "../../core/transport/connector.ts";
import { machineMs } from "../../platform/clock.ts";
import { messageOf } from "../../platform/message-of.ts";
import { isJson, itemsIn, objectIn } from "../kit/json.ts";
import { parseLossless, TooManyValues } from "../kit/lossless-json.ts";
import { settleAll } from "../kit/settle-all.ts";
import { confirmAddress, isSignedBy, signatureIn } from "../meta/callback.ts";
import { GraphRefusal } from "../meta/error.ts";
import { graphOf, type WapiLink } from "./access.ts";
import { fetchHealth } from "./account.ts";
import { type Change, type Concern, readCallback, readOne } from "./changes.ts";
import { channelFault } from "./errors.ts";
import { listTemplates } from "./templates.ts";

/** Meta waits a few seconds for an answer. */
const HEALTH_LIMIT_MS = 10_000;

type App = AppLink<WapiLink>;
type Channel = AppChannel<WapiLink>;

/** Takes what Meta sends for all channels. Anything but 2xx makes Meta repeat it, for up to seven days. */
export async function receiveForApp(request: InboundRequest, app: App): Promise<InboundReply> {
  if (request.method === "GET")
    return confirmAddress(request.query, [app.callbackSecret, app.settings.verifyToken]);
  if (request.method !== "POST") return { status: 405 };
  const signature = signatureIn(request.headers);
  if (signature === null) return { status: 401 };
  const isApps = isSignedBy(request.body, signature, app.settings.appSecret);
  const owners = isApps ? [] : await ownersOf(request.body, signature, app);
  if (!isApps && owners.length === 0) {
    app.log("warn", "A call signed with another app's secret was refused");
    return { status: 401 };
  }
  if (!owners.every((owner) => app.mayTake(owner))) return { status: 429 };
  const changes = readPaidFor(request.body, owners, app);
  if ("status" in changes) return changes;
  const secrets = new Set(owners.map(({ link }) => link.credentials.app_secret));
  const trusted = (await app.find(idsOf(changes))).filter(({ link }) => {
    const own = link.credentials.app_secret;
    return own === undefined ? isApps : secrets.has(own);
  });
  const ready = trusted.filter((channel) => app.mayTake(channel));
  await deliver(changes, ready);
  return { status: ready.length === trusted.length ? 200 : 429 };
}

/** Owners know their own secrets, and could sign anything: they pay for what it costs to read. */
function readPaidFor(body: Uint8Array, owners: readonly Channel[], app: App): Change[] | InboundReply {
  const began = performance.now();
  const changes = readChanges(body, owners.length > 0 ? MAX_VALUES.owner : MAX_VALUES.meta);
  const ms = performance.now() - began;
  for (const owner of owners) app.spend(owner, { bytes: body.length, ms });
  return changes;
}

const NAMED_ID = /"(phone_number_id|waba_id|id)"\s*:\s*"?(\d{1,32})/g;
/** Meta names the business first, and its number soon after. A hostile body may name one a million times. */
const MAX_NAMED = 50;
const MAX_MATCHES = 200;
/** Each is a signature over the whole body, for a caller whom nobody knows yet. One app has one. */
const MAX_SECRETS = 4;

/**
 * The channels that the body names and whose own secret fits. What nobody has signed is not parsed for that: anybody may
 * send a few megabytes of hostile JSON, with names of channels in it that are not theirs.
 */
async function ownersOf(body: Uint8Array, signature: string, app: App): Promise<readonly Channel[]> {
  const [messengerIds, businessIds] = [new Set<string>(), new Set<string>()];
  for (const [, key, id = ""] of textOf(body).matchAll(NAMED_ID).take(MAX_MATCHES)) {
    (key === "phone_number_id" ? messengerIds : businessIds).add(id);
    if (messengerIds.size + businessIds.size === MAX_NAMED) break;
  }
  const named = await app.find({ messengerIds: [...messengerIds], businessIds: [...businessIds] });
  const secrets = new Set(named.flatMap(({ link }) => link.credentials.app_secret ?? []));
  const secret = [...secrets].slice(0, MAX_SECRETS).find((each) => isSignedBy(body, signature, each));
  return secret === undefined ? [] : named.filter(({ link }) => link.credentials.app_secret === secret);
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

/**
 * Of a body: its largest are 3 MB, with 1,000 items at most (page "Webhooks", "Receiving updates"), each some 20 to 60
 * values. What an owner signs may be made to be slow: so many values of the worst kind take 50 ms.
 */
const MAX_VALUES = { meta: 300_000, owner: 60_000 };
const MAX_ITEMS = 2_000;

/** What is not acknowledged Meta keeps, and shows to the owner of the app that it was refused. */
function readChanges(body: Uint8Array, maxValues: number): Change[] | InboundReply {
  try {
    const json = parseLossless(textOf(body), maxValues);
    return countItems(json) > MAX_ITEMS ? { status: 413 } : readCallback(json);
  } catch (error) {
    return { status: error instanceof TooManyValues ? 413 : 400 };
  }
}

/** Before any of them is looked at. */
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

/** Takes a dead letter once more. */
export async function readAgain(payload: unknown, link: WapiLink): Promise<void> {
  const change = isJson(payload) ? readOne(payload) : null;
  if (change === null) throw new Error("This tells nothing");
  const { credentials } = link;
  const self = { messengerId: credentials.phone_number_id, businessId: credentials.waba_id, phone: "", link };
  const digits = "digits" in change.concern ? change.concern.digits : "";
  await deliver([change], [{ ...self, phone: digits ?? "" }]);
}

/** Calls `emit` for everything before the first pause, so that the order of the changes is kept. */
async function deliver(changes: readonly Change[], channels: readonly Channel[]): Promise<void> {
  const told = changes.flatMap((change) =>
    channels.filter((channel) => isConcerned(channel, change.concern)).map(({ link }) => ({ change, link })),
  );
  for (const { change, link } of told) for (const note of change.notes) link.log("warn", note);
  const emitted = told.flatMap(({ change, link }) => [
    ...change.events.map((event) => link.emit(event)),
    ...(change.unread ?? []).map(({ payload, reason }) => link.deadLetter(payload, reason)),
  ]);
  await settleAll(emitted);
  // Nobody else asks while a channel is blocked, so Meta has to repeat the news of its end if this fails.
  for (const link of toRefresh(told, "health")) await refreshHealth(link);
  // The session looks at them now and then anyway.
  for (const link of toRefresh(told, "templates")) void refreshTemplates(link);
}

/** Each once, however many changes of a call ask for it. */
function toRefresh(
  told: readonly { readonly change: Change; readonly link: WapiLink }[],
  what: NonNullable<Change["refresh"]>,
): ReadonlySet<WapiLink> {
  return new Set(told.filter(({ change }) => change.refresh === what).map(({ link }) => link));
}

async function refreshHealth(link: WapiLink): Promise<void> {
  const signal = AbortSignal.any([link.signal, AbortSignal.timeout(HEALTH_LIMIT_MS)]);
  const askedAt = machineMs();
  try {
    const { state, tier } = await fetchHealth(link, signal);
    await link.emit({ kind: "link", state, askedAt });
    if (tier !== null) await link.emit({ kind: "tier", tier });
  } catch (error) {
    // A token that has ended meanwhile says how the channel is, too.
    const reason = error instanceof GraphRefusal ? channelFault(error.error) : null;
    if (reason === null) throw error;
    await link.emit({ kind: "link", state: { status: "disabled", reason }, askedAt });
  }
}

async function refreshTemplates(link: WapiLink): Promise<void> {
  try {
    const templates = await listTemplates(graphOf(link), link.credentials.waba_id, link.signal);
    await link.emit({ kind: "templates", templates });
  } catch (error) {
    const detail = messageOf(error);
    link.log("info", "WhatsApp: the templates could not be asked for", { detail });
  }
}
