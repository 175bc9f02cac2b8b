import type { OutboundMessage, SentMessage } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
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
  const body = toRequest(message, bot.link.credentials.name ?? "");
  if (isShared(bot.link) && !(await isCustomer(bot.link, chatId)))
    throw new TransportError("BAD_CONTACT", "This person has not come by the invitation of the channel");
  const { message_token: token } = readSent(await callWithWebhook(bot, body, signal)) ?? {};
  // One without an id is sent all the same, though it is not to be found again.
  return { chatId, externalId: token ?? `pending:${message.id}`, sentAt: new Date() };
}

/** Viber takes no messages of a bot without a webhook; it is set again at once. */
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
