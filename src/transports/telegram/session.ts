import type { Session } from "../../core/transport/connector.ts";
import type { TransportError } from "../../core/transport/errors.ts";
import { describe, toFailure } from "../kit/failures.ts";
import { settleWithin } from "../kit/settle-within.ts";
import { createThrottleScope, type ThrottleScope } from "../kit/throttle-scope.ts";
import type { TelegramLink } from "./bot.ts";
import { type Bot, createBot, REFUSALS, TIMING, type Timing } from "./bot.ts";
import { watchCallbacks } from "./callback.ts";
import { deliver } from "./delivery.ts";
import { Refusal, toTransportError } from "./errors.ts";
import { openFile } from "./files.ts";
import { poll } from "./receiving.ts";
import { editMessage, reactToMessage, removeMessage, sendMessage, showTyping } from "./sending.ts";

const LOGOUT_LIMIT_MS = 10_000;

type TelegramSession = Required<Omit<Session, "answer" | "groups" | "findPerson">>;

/** Starts receiving and returns immediately. */
export async function openSession(link: TelegramLink, timing: Timing = TIMING): Promise<TelegramSession> {
  const closing = new AbortController();
  const bot = createBot(link, AbortSignal.any([link.signal, closing.signal]), timing);
  const receiving = link.callbackUrl === null ? poll(bot) : watchCallbacks(bot, link.callbackUrl);
  const guard = createGuard(bot, createThrottleScope());
  return {
    // Closing does not cancel a send: its outcome would be unknown, and the message could be lost.
    send: (message, signal) => guard(message.to.chatId ?? "", () => sendMessage(bot, message, signal)),
    edit: (ref, change, signal) => guard(ref.chatId, () => editMessage(bot, ref, change, signal)),
    remove: (ref, signal) => guard(ref.chatId, () => removeMessage(bot, ref, signal)),
    react: (target, emoji, signal) => guard(target.chatId, () => reactToMessage(bot, target, emoji, signal)),
    mark: (chat, _mark, signal) => guard(chat.chatId, () => showTyping(bot, chat, signal)),
    openFile: (file, signal, resume) => guard("", () => openFile(bot.client, file, signal, resume)),
    logout: () => stopCallbacks(bot),
    reprocess: (update) => deliver([update], bot),
    async close() {
      closing.abort();
      await settleWithin(receiving);
    },
  };
}

type Guard = <T>(chatId: string, work: () => Promise<T>) => Promise<T>;

/** Converts any failure into a `TransportError`. */
function createGuard(bot: Bot, floodWatch: ThrottleScope): Guard {
  return async (chatId, work) => {
    try {
      return await work();
    } catch (error) {
      throw await toFailure(error, bot, {
        ...REFUSALS,
        meaningOf: (refusal) => meaningOf(refusal, chatId, floodWatch),
      });
    }
  };
}

function meaningOf(error: unknown, chatId: string, floodWatch: ThrottleScope): TransportError | null {
  if (!(error instanceof Refusal)) return null;
  const { retryAfterMs } = error;
  return toTransportError(error, retryAfterMs === undefined ? "chat" : floodWatch(chatId, retryAfterMs));
}

/**
 * Deletes the webhook of a deleted channel; otherwise Telegram would retry for a day. The bot itself is not changed,
 * and neither is a webhook that another channel or program has set meanwhile.
 */
async function stopCallbacks({ client, link }: Bot): Promise<void> {
  if (link.callbackUrl === null) return;
  const signal = AbortSignal.timeout(LOGOUT_LIMIT_MS);
  try {
    const { url } = await client.call("getWebhookInfo", {}, { signal });
    if (url === link.callbackUrl) await client.call("deleteWebhook", {}, { signal });
  } catch (error) {
    link.log("info", "Telegram: the webhook could not be deleted", { detail: describe(error, client) });
  }
}
