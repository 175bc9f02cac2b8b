import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { AppChannel, AppLink, InboundReply, InboundRequest } from "../../core/transport/connector.ts";
import { machineMs } from "../../platform/clock.ts";
import { graphOf, type WapiLink } from "./access.ts";
import { fetchHealth } from "./account.ts";
import { type Change, type Concern, readCallback, readOne } from "./changes.ts";
import { channelFault, GraphRefusal } from "./errors.ts";
import { isJson, parseJson } from "./json.ts";
import { listTemplates } from "./templates.ts";

/** Meta waits a few seconds for an answer. */
const HEALTH_LIMIT_MS = 10_000;

type App = AppLink<WapiLink>;
type Channel = AppChannel<WapiLink>;

/** Takes what Meta sends for all channels. Anything but 2xx makes Meta repeat it, for up to seven days. */
export async function receiveForApp(request: InboundRequest, app: App): Promise<InboundReply> {
  if (request.method === "GET") return confirmAddress(request.query, app);
  if (request.method !== "POST") return { status: 405 };
  const signature = request.headers["x-hub-signature-256"];
  if (typeof signature !== "string" || !/^sha256=[0-9a-f]{64}$/.test(signature)) return { status: 401 };
  const isApps = isSigned(request.body, signature, app.settings.appSecret);
  if (!isApps && !(await isOwners(request.body, signature, app))) {
    app.log("warn", "A call signed with another app's secret was refused");
    return { status: 401 };
  }
  const changes = readChanges(request.body);
  // Not acknowledged, Meta keeps it and shows the owner of the app that it was refused.
  if (changes === null) return { status: 400 };
  const channels = await app.find(idsOf(changes));
  const trusted = channels.filter(({ link }) => {
    const own = link.credentials.app_secret;
    return own === undefined ? isApps : isSigned(request.body, signature, own);
  });
  await deliver(changes, trusted);
  return { status: 200 };
}

/** Meta asks whether the address is ours before it calls it (page "Webhooks", "Verification requests"). */
function confirmAddress(query: URLSearchParams, { settings, callbackSecret }: App): InboundReply {
  const token = query.get("hub.verify_token") ?? "";
  const known = [callbackSecret, settings.verifyToken].filter((each) => each !== "");
  const isOurs = query.get("hub.mode") === "subscribe" && known.some((each) => isSame(token, each));
  return isOurs ? { status: 200, body: query.get("hub.challenge") ?? "" } : { status: 403 };
}

/** Over the bytes as they came; without a secret nothing is trusted. */
function isSigned(body: Uint8Array, signature: string, secret: string): boolean {
  if (secret === "") return false;
  return isSame(signature, `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
}

const NAMED_ID = /"(phone_number_id|waba_id|id)"\s*:\s*"?(\d{1,32})/g;
/** More than one call of Meta's concerns. */
const MAX_NAMED = 1_000;

/**
 * Whether the secret of a channel that the body names fits. What nobody has signed is not parsed for that: in a few
 * megabytes of hostile JSON, the parser would keep the whole node for many seconds.
 */
async function isOwners(body: Uint8Array, signature: string, app: App): Promise<boolean> {
  const [messengerIds, businessIds] = [new Set<string>(), new Set<string>()];
  for (const [, key, id = ""] of textOf(body).matchAll(NAMED_ID)) {
    (key === "phone_number_id" ? messengerIds : businessIds).add(id);
    if (messengerIds.size + businessIds.size === MAX_NAMED) break;
  }
  const named = await app.find({ messengerIds: [...messengerIds], businessIds: [...businessIds] });
  const secrets = new Set(named.map(({ link }) => link.credentials.app_secret ?? ""));
  return [...secrets].some((secret) => isSigned(body, signature, secret));
}

/** Hashes first, so that neither the length nor the first wrong character shows in the time. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

/** Null for what is not what Meta sends. */
function readChanges(body: Uint8Array): Change[] | null {
  try {
    return readCallback(parseJson(textOf(body)));
  } catch {
    return null;
  }
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
  const outcomes = await Promise.allSettled(emitted);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
  for (const { change, link } of told) {
    // Nobody else asks while a channel is blocked, so Meta has to repeat the news of its end if this fails.
    if (change.refresh === "health") await refreshHealth(link);
    // The session looks at them now and then anyway.
    if (change.refresh === "templates") void refreshTemplates(link);
  }
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
    const detail = error instanceof Error ? error.message : String(error);
    link.log("info", "WhatsApp: the templates could not be asked for", { detail });
  }
}
