import type { WebhookInfo } from "@grammyjs/types";
import type { InboundReply, InboundRequest } from "../../core/transport/connector.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import { isSame } from "../../platform/same.ts";
import { readCall } from "../kit/call-body.ts";
import { watchOrPoll } from "../kit/receiving.ts";
import { type Bot, fetchProfile, persistence, type TelegramLink } from "./bot.ts";
import { createClient } from "./client.ts";
import { deliver } from "./delivery.ts";
import { Refusal } from "./errors.ts";
import { ALLOWED_UPDATES } from "./inbound.ts";
import { poll } from "./receiving.ts";

const MAX_CONNECTIONS = 40;

/**
 * Sets the webhook and checks it until the channel closes: another program may replace it, and Telegram reports
 * failed deliveries in its status. Falls back to polling if Telegram rejects the URL.
 */
export async function watchCallbacks(bot: Bot, url: string): Promise<void> {
  await watchOrPoll(persistence(bot), {
    everyMs: bot.timing.checkMs,
    check: createWatch(bot, url),
    isRefused: (error) => isAddressRefused(error, bot),
    poll: () => poll(bot),
  });
}

/** Returns the check of the webhook. It sets the webhook on the first call and whenever its URL is not ours. */
function createWatch(bot: Bot, url: string): () => Promise<void> {
  const { client, signal, link } = bot;
  let profile: ChannelProfile | null = null;
  let isSet = false;
  let reportedAt = 0;
  return async () => {
    profile ??= await fetchProfile(client, signal);
    const info = isSet ? await client.call("getWebhookInfo", {}, { signal }) : null;
    if (info !== null && info.url !== url) link.log("warn", "Telegram: another program replaced the webhook");
    if (info?.url !== url) await setWebhook(bot, url);
    isSet = true;
    await bot.announce({ status: "active", profile });
    reportedAt = reportErrors(info, reportedAt, bot);
  };
}

async function setWebhook({ client, link, signal }: Bot, url: string): Promise<void> {
  const params = {
    url,
    secret_token: link.callbackSecret,
    allowed_updates: ALLOWED_UPDATES,
    max_connections: MAX_CONNECTIONS,
  };
  await client.call("setWebhook", params, { signal });
}

/** Logs each failed delivery once. Returns the time of the last one, in Unix seconds. */
function reportErrors(info: WebhookInfo | null, reportedAt: number, { client, link }: Bot): number {
  const at = info?.last_error_date ?? 0;
  if (info === null || at <= reportedAt) return reportedAt;
  const detail = client.redact(info.last_error_message ?? "");
  link.log("warn", "Telegram could not deliver to the webhook URL", {
    detail,
    pending: info.pending_update_count,
  });
  return at;
}

function isAddressRefused(error: unknown, { link }: Bot): boolean {
  const isRefused =
    error instanceof Refusal && error.status === 400 && error.says("webhook", "url", "ip address", "https");
  if (isRefused)
    link.log("warn", "Telegram rejects the webhook URL; polling instead", { detail: error.description });
  return isRefused;
}

/**
 * Receives one update by webhook (Bot API, `setWebhook`). Telegram retries a call that is not answered with 2xx. An
 * update that cannot be parsed is stored as a dead letter and acknowledged.
 */
export async function receive(request: InboundRequest, link: TelegramLink): Promise<InboundReply> {
  if (request.method !== "POST") return { status: 405 };
  if (!isSame(request.headers["x-telegram-bot-api-secret-token"], link.callbackSecret))
    return { status: 401 };
  if (request.body.length === 0) return { status: 400 };
  const call = readCall(request.body);
  if ("reason" in call) await link.deadLetter(call.text, call.reason);
  else await deliver([call.json], { link, client: createClient(link), signal: link.signal });
  return { status: 200 };
}
