import type { OutboundContent, OutboundMessage, SentMessage } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { beforeSend } from "../kit/failures.ts";
import type { Json } from "../kit/json.ts";
import { type Bot, isShared, webhookOf } from "./bot.ts";
import { Refusal, STATUS } from "./errors.ts";
import { toRequest } from "./outbound.ts";
import { isCustomer } from "./shared-bot.ts";
import { readSent } from "./update.ts";
import { setWebhook } from "./webhook.ts";

/** Sends a message. Throws `Refusal` or `TransportError`. */
export async function sendMessage(
  bot: Bot,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SentMessage> {
  const { chatId = "" } = message.to;
  const reachable = { ...message, content: await reachableContent(message.content) };
  const body = toRequest(reachable, bot.link.credentials.name ?? "");
  if (isShared(bot.link) && !(await isCustomer(bot.link, chatId)))
    throw new TransportError("BAD_CONTACT", "The person has not used the channel's invitation");
  const { message_token: token } = readSent(await callWithWebhook(bot, body, signal)) ?? {};
  // A message without an id was sent anyway, but cannot be matched later.
  return { chatId, externalId: token ?? `pending:${message.id}`, sentAt: new Date() };
}

/** Viber fetches files itself: those that it cannot reach are offered under the service's address. */
async function reachableContent(content: OutboundContent): Promise<OutboundContent> {
  if (content.type !== "file" || content.file.urlIsPublic) return content;
  const { file } = content;
  if (file.offer === undefined)
    throw new TransportError("BAD_LINK", "Viber fetches files itself and cannot reach this URL");
  const url = await beforeSend(file.offer());
  return { type: "file", file: { ...file, url, urlMimeType: file.mimeType, open: () => file.open() } };
}

/** Viber accepts no messages from a bot without a webhook, so the webhook is set again and the call retried. */
async function callWithWebhook(bot: Bot, body: Json, signal: AbortSignal): Promise<Json> {
  const url = webhookOf(bot.link);
  try {
    return await bot.client.call("send_message", body, signal);
  } catch (error) {
    const isUnset = error instanceof Refusal && error.status === STATUS.webhookNotSet;
    if (!isUnset || url === null) throw error;
    await setWebhook({ client: bot.client, signal }, url);
    return bot.client.call("send_message", body, signal);
  }
}
