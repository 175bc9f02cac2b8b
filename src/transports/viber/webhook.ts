import { messageOf } from "../../platform/message-of.ts";
import { qrPng } from "../../platform/qr.ts";
import { jittered, runRetryLoop } from "../kit/retry-loop.ts";
import { type Account, deepLink, fetchAccount, ownProfile, sharedProfile } from "./account.ts";
import { type Bot, isShared, persistence, webhookOf } from "./bot.ts";
import { EVENT_TYPES } from "./inbound.ts";

/** How long the webhook is not set again if Viber does not report the one that was set. */
const SET_AGAIN_MS = 60 * 60_000;

/**
 * Registers the webhook and checks it until the channel closes, because another program may replace it. Reports the
 * channel's profile to core, or shows the code that links it.
 */
export function keepWebhook(bot: Bot): Promise<void> {
  let isFirst = true;
  /** When the webhook was set, until Viber reports it. */
  let setAtMs = Number.NEGATIVE_INFINITY;
  return runRetryLoop(persistence(bot), async () => {
    const account = await fetchAccount(bot.client, bot.signal);
    const url = webhookOf(bot.link);
    const isUnreported = account.webhook === "" && performance.now() - setAtMs < SET_AGAIN_MS;
    const isOurs = account.webhook === url || isUnreported;
    if (!isUnreported) setAtMs = Number.NEGATIVE_INFINITY;
    if (!isFirst && !isOurs) bot.link.log("warn", "Viber: another program replaced the webhook");
    // Set only when necessary: setting the webhook may discard Viber's pending retries.
    if (url !== null && (!isOurs || (isFirst && !hasAllEvents(account)))) {
      await setWebhook(bot, url);
      setAtMs = performance.now();
    }
    isFirst = false;
    await announceAccount(bot, account);
    return jittered(bot.timing.checkMs);
  });
}

/** Whether the webhook is subscribed to all event types needed; the other types are always sent. */
function hasAllEvents({ events }: Account): boolean {
  const wanted = ["delivered", "seen", "failed", "conversation_started"];
  return events === undefined || wanted.every((each) => events.includes(each));
}

/** Viber calls the URL before it responds, and rejects URLs that do not answer 200 (page "Webhooks"). */
export async function setWebhook(
  { client, signal }: Pick<Bot, "client" | "signal">,
  url: string,
): Promise<void> {
  const body = { url, event_types: EVENT_TYPES, send_name: true, send_photo: true };
  await client.call("set_webhook", body, signal);
}

async function announceAccount({ link, announce }: Bot, account: Account): Promise<void> {
  const { owner, name = "" } = link.credentials;
  const { claim, invitation } = link.codes;
  if (!isShared(link)) await announce({ status: "active", profile: ownProfile(account) });
  else if (owner !== undefined)
    await announce({ status: "active", profile: sharedProfile(account, { owner, name, invitation }) });
  else if (account.uri === undefined)
    await announce({ status: "lost", detail: "Viber does not report the URI of the shared bot" });
  else await announce({ status: "init", reason: "qr", qr: await qrPng(deepLink(account.uri, claim)) });
}

/** Removes the webhook of a deleted channel, unless the bot is shared or another program has replaced the webhook. */
export async function removeWebhook({ client, link }: Bot, signal: AbortSignal): Promise<void> {
  if (isShared(link) || link.callbackUrl === null) return;
  try {
    const { webhook } = await fetchAccount(client, signal);
    if (webhook === link.callbackUrl) await client.call("set_webhook", { url: "" }, signal);
  } catch (error) {
    link.log("info", "Viber: the webhook could not be removed", { detail: messageOf(error) });
  }
}
