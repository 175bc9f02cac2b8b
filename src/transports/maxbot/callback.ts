import type { InboundReply, InboundRequest } from "../../core/transport/connector.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { isSame } from "../../platform/same.ts";
import { readCall } from "../kit/call-body.ts";
import { watchOrPoll } from "../kit/receiving.ts";
import { type Bot, fetchProfile, type MaxbotLink, persistence, selfOf } from "./bot.ts";
import { createClient } from "./client.ts";
import type { Self } from "./context.ts";
import { deliver } from "./delivery.ts";
import { Refusal } from "./errors.ts";
import { UPDATE_TYPES } from "./inbound.ts";
import { poll } from "./receiving.ts";
import { readSubscriptions } from "./update.ts";

/** State key of the bot's id and name, for the nodes that receive webhooks. */
const SELF = "self";

/**
 * Subscribes, and checks the subscription until the channel closes, because MAX removes a subscription that fails for
 * eight hours. Falls back to polling if MAX rejects the URL.
 */
export async function watchCallbacks(bot: Bot, url: string): Promise<void> {
  await watchOrPoll(persistence(bot), {
    everyMs: bot.timing.checkMs,
    check: createWatch(bot, url),
    isRefused: (error) => isAddressRefused(error, bot),
    poll: () => poll(bot),
  });
}

/**
 * Returns the check of the subscription. It subscribes on the first call, so that MAX uses our secret, and whenever
 * the subscription is missing.
 */
function createWatch(bot: Bot, url: string): () => Promise<void> {
  const { client, signal, link } = bot;
  let profile: ChannelProfile | null = null;
  let isSet = false;
  return async () => {
    if (profile === null) {
      profile = await fetchProfile(client, signal);
      await link.state.set(SELF, JSON.stringify(selfOf(profile)));
    }
    const isSubscribed = isSet && (await hasSubscription(bot, url));
    if (isSet && !isSubscribed) link.log("warn", "MAX: the subscription was missing and has been restored");
    if (!isSubscribed) await subscribe(bot, url);
    isSet = true;
    await bot.announce({ status: "active", profile });
  };
}

async function hasSubscription({ client, signal }: Bot, url: string): Promise<boolean> {
  const { subscriptions = [] } =
    readSubscriptions(await client.call("GET", "/subscriptions", { signal })) ?? {};
  return subscriptions.some((subscription) => subscription.url === url);
}

async function subscribe({ client, link, signal }: Bot, url: string): Promise<void> {
  const body = { url, update_types: UPDATE_TYPES, secret: link.callbackSecret };
  const answer = await client.call("POST", "/subscriptions", { body, signal });
  if (answer["success"] === false) throw new Refusal(400, "url", String(answer["message"] ?? ""));
}

function isAddressRefused(error: unknown, { link }: Bot): boolean {
  const isRefused = error instanceof Refusal && error.status === 400;
  if (isRefused) link.log("warn", "MAX rejects the webhook URL; polling instead", { detail: error.text });
  return isRefused;
}

/**
 * Receives one update by webhook. MAX retries a call that is not answered with 200. An update that cannot be parsed
 * is stored as a dead letter and acknowledged.
 */
export async function receive(request: InboundRequest, link: MaxbotLink): Promise<InboundReply> {
  if (request.method !== "POST") return { status: 405 };
  if (!isSame(request.headers["x-max-bot-api-secret"], link.callbackSecret)) return { status: 401 };
  if (request.body.length === 0) return { status: 400 };
  const call = readCall(request.body);
  if ("reason" in call) {
    await link.deadLetter(call.text, call.reason);
    return { status: 200 };
  }
  const kept = await link.state.get(SELF);
  // MAX calls only after the session has subscribed, and the key is stored before that.
  const self: Self = kept === null ? { id: "0", name: "" } : JSON.parse(kept);
  await deliver([call.json], { link, client: createClient(link), signal: link.signal, self });
  return { status: 200 };
}
