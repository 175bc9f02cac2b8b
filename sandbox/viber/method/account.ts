import { rawNumber } from "../../http/raw-number.ts";
import { signedCallback, userShape } from "../announce.ts";
import { type EventType, eventTypes, mandatoryEvents } from "../bot.ts";
import { type ApiCall, bodyOf } from "../call.ts";
import { fieldErrors, refused } from "../status.ts";

const maxOnlineIds = 100;
const halfDaySeconds = 12 * 60 * 60;

/** https://creators.viber.com/docs/bots-api/resources/account/get-account-info */
export function getAccountInfo(call: ApiCall): unknown {
  bodyOf(call, []);
  const { id, name, uri, webhook, subscribers } = call.bot;
  return {
    id,
    name,
    uri,
    icon: `https://media-direct.cdn.viber.com/pg_download?id=${id.slice(3)}`,
    background: "https://content.cdn.viber.com/backgrounds/1.jpg",
    category: "Business",
    subcategory: "Shopping",
    location: { lon: 37.6, lat: 55.7 },
    country: "UK",
    webhook: webhook?.url ?? "",
    event_types: webhook ? listEvents(webhook.events) : [],
    subscribers_count: subscribers,
    members: [{ id: "01234567890A=", name: "Owner", avatar: "https://avatar.example.com", role: "admin" }],
  };
}

/** https://creators.viber.com/docs/bots-api/resources/webhook: the address is verified before the response. */
export async function setWebhook(call: ApiCall): Promise<unknown> {
  const { bot, world } = call;
  const body = bodyOf(call, ["url", "event_types", "send_name", "send_photo", "is_inline"]);
  const url = body.text("url");
  if (url === undefined) throw body.missing("url");
  for (const name of ["send_name", "send_photo", "is_inline"]) body.flag(name);
  const events = body.list("event_types")?.map(readEvent) ?? eventTypes;
  if (url === "") {
    bot.webhook = undefined;
    world.callbacks.drop(bot.id);
    world.changed();
    return {};
  }
  await probe(call, url);
  world.callbacks.drop(bot.id);
  bot.webhook = { url, events: new Set(events) };
  world.changed();
  return { event_types: listEvents(bot.webhook.events) };
}

const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/;

/** https with a certificate; on loopback also http. Any status but 200 refuses the address. */
async function probe({ bot, world }: ApiCall, url: string): Promise<void> {
  if (!URL.canParse(url) || !(url.startsWith("https://") || loopback.test(url)))
    throw refused(1, "not https");
  const body = { event: "webhook", timestamp: world.clock.nowMs(), chat_hostname: "SN-CHAT-03_" };
  const token = rawNumber(world.nextToken());
  const probing = { url, type: "webhook", orderingKey: "", body: { ...body, message_token: token } };
  const { status, error } = await world.callbacks.post(signedCallback(world, bot, probing));
  if (status !== 200) throw refused(1, error ?? `the address answers ${status}`);
}

function readEvent(name: unknown): EventType {
  const event = eventTypes.find((known) => known === name);
  if (event) return event;
  throw fieldErrors.wrongType("event_types", eventTypes.join(", "));
}

function listEvents(events: ReadonlySet<EventType>): readonly EventType[] {
  return [...new Set([...mandatoryEvents, ...events])];
}

/** https://creators.viber.com/docs/bots-api/resources/user/get-user-details */
export function getUserDetails(call: ApiCall): unknown {
  const { bot, world } = call;
  const id = bodyOf(call, ["id"]).needText("id");
  const conversation = bot.byViberId(id);
  if (!conversation) throw refused(5, "no such user");
  if (!conversation.subscribed) throw refused(6, "the user is not subscribed");
  const { limits } = world;
  const perHalfDay = limits?.detailsPerHalfDay ?? 0;
  if (limits && !world.limiter.take(`details ${bot.id} ${id}`, perHalfDay, perHalfDay / halfDaySeconds))
    throw refused(12, "too many requests for this user");
  const device = {
    primary_device_os: "android 14",
    viber_version: "22.3.0",
    mcc: 1,
    mnc: 1,
    device_type: "SM-S911B",
  };
  return {
    message_token: rawNumber(world.nextToken()),
    user: { ...userShape(world, conversation), ...device },
  };
}

/** https://creators.viber.com/docs/bots-api/resources/user/get-subscribers-status */
export function getOnline(call: ApiCall): unknown {
  const body = bodyOf(call, ["ids"]);
  const ids = body.list("ids");
  if (!ids || ids.length === 0) throw body.missing("ids");
  if (ids.length > maxOnlineIds) throw refused(3, `over ${maxOnlineIds} ids`);
  return {
    users: ids.map((id) => {
      const known = call.bot.byViberId(String(id))?.subscribed ?? false;
      return known
        ? { id, online_status: 0, online_status_message: "online" }
        : { id, online_status: 4, online_status_message: "unavailable" };
    }),
  };
}
