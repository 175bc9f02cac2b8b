import type { Session } from "../../core/transport/connector.ts";
import type { TransportError } from "../../core/transport/errors.ts";
import { describe, toFailure } from "../kit/failures.ts";
import { settleWithin } from "../kit/settle-within.ts";
import { createThrottleScope, type ThrottleScope } from "../kit/throttle-scope.ts";
import {
  type Bot,
  createBot,
  fetchProfile,
  type MaxbotLink,
  REFUSALS,
  selfOf,
  TIMING,
  type Timing,
} from "./bot.ts";
import { watchCallbacks } from "./callback.ts";
import { deliver } from "./delivery.ts";
import { Refusal, toTransportError } from "./errors.ts";
import { openFile } from "./files.ts";
import { poll } from "./receiving.ts";
import { editMessage, markChat, removeMessage, sendMessage } from "./sending.ts";

const LOGOUT_LIMIT_MS = 10_000;

type MaxbotSession = Required<
  Pick<Session, "send" | "edit" | "remove" | "mark" | "openFile" | "logout" | "reprocess" | "close">
>;

/** Starts receiving and returns immediately. */
export async function openSession(link: MaxbotLink, timing: Timing = TIMING): Promise<MaxbotSession> {
  const closing = new AbortController();
  const bot = createBot(link, AbortSignal.any([link.signal, closing.signal]), timing);
  const receiving = link.callbackUrl === null ? poll(bot) : watchCallbacks(bot, link.callbackUrl);
  const guard = createGuard(bot, createThrottleScope());
  return {
    // Closing does not cancel a send: its outcome would be unknown, and the message could be lost.
    send: (message, signal) => guard(message.to.chatId ?? "", () => sendMessage(bot, message, signal)),
    edit: (ref, change, signal) => guard(ref.chatId, () => editMessage(bot, ref, change, signal)),
    remove: (ref, signal) => guard(ref.chatId, () => removeMessage(bot, ref, signal)),
    mark: (chat, mark, signal) => guard(chat.chatId, () => markChat(bot, chat, mark, signal)),
    openFile: (file, signal, resume) => guard("", () => openFile(bot.client, file, signal, resume)),
    logout: () => unsubscribe(bot),
    reprocess: async (update) => {
      const self = selfOf(await fetchProfile(bot.client, bot.signal));
      await deliver([update], { ...bot, self });
    },
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

/** Unsubscribes a deleted channel; otherwise MAX would call for eight hours. The bot itself is not changed. */
async function unsubscribe({ client, link }: Bot): Promise<void> {
  if (link.callbackUrl === null) return;
  try {
    const query = { url: link.callbackUrl };
    await client.call("DELETE", "/subscriptions", { query, signal: AbortSignal.timeout(LOGOUT_LIMIT_MS) });
  } catch (error) {
    link.log("info", "MAX: the subscription could not be deleted", { detail: describe(error, client) });
  }
}
