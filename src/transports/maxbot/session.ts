import type { Session } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { endInTime } from "../kit/closing.ts";
import {
  type Bot,
  createBot,
  describe,
  fetchProfile,
  type MaxbotLink,
  selfOf,
  TIMING,
  type Timing,
} from "./bot.ts";
import { watchCallbacks } from "./callback.ts";
import { deliver } from "./delivery.ts";
import { isUnauthorized, Refusal, toTransportError } from "./errors.ts";
import { openFile } from "./files.ts";
import { createFloodWatch, type FloodWatch } from "./floods.ts";
import { poll } from "./receiving.ts";
import { editMessage, removeMessage, sendMessage } from "./sending.ts";

const LOGOUT_LIMIT_MS = 10_000;

type MaxbotSession = Required<
  Pick<Session, "send" | "edit" | "remove" | "openFile" | "logout" | "readAgain" | "close">
>;

/** Starts to receive and returns at once. */
export async function openSession(link: MaxbotLink, timing: Timing = TIMING): Promise<MaxbotSession> {
  const closing = new AbortController();
  const bot = createBot(link, AbortSignal.any([link.signal, closing.signal]), timing);
  const receiving = link.callbackUrl === null ? poll(bot) : watchCallbacks(bot, link.callbackUrl);
  const guard = createGuard(bot, createFloodWatch());
  return {
    // Closing does not cut off a send: its outcome would be unknown, and the message lost to the customer.
    send: (message, signal) => guard(message.to.chatId ?? "", () => sendMessage(bot, message, signal)),
    edit: (ref, change, signal) => guard(ref.chatId, () => editMessage(bot, ref, change, signal)),
    remove: (ref, signal) => guard(ref.chatId, () => removeMessage(bot, ref, signal)),
    openFile: (file, signal) => guard("", () => openFile(bot.client, file, signal)),
    logout: () => unsubscribe(bot),
    readAgain: async (update) => {
      const self = selfOf(await fetchProfile(bot.client, bot.signal));
      await deliver([update], { ...bot, self });
    },
    async close() {
      closing.abort();
      await endInTime(receiving);
    },
  };
}

type Guard = <T>(chatId: string, work: () => Promise<T>) => Promise<T>;

/** Turns whatever goes wrong into a `TransportError`. */
function createGuard(bot: Bot, floods: FloodWatch): Guard {
  return async (chatId, work) => {
    try {
      return await work();
    } catch (error) {
      throw await toFailure(error, { bot, floods, chatId });
    }
  };
}

interface Failed {
  readonly bot: Bot;
  readonly floods: FloodWatch;
  readonly chatId: string;
}

async function toFailure(error: unknown, { bot, floods, chatId }: Failed): Promise<TransportError> {
  if (error instanceof TransportError) return error;
  if (!(error instanceof Refusal)) {
    const cause = new Error(describe(error, bot.client));
    return new TransportError("UNKNOWN_ERROR", "MAX's answer cannot be read", { retry: "unknown", cause });
  }
  if (isUnauthorized(error)) await tellUnauthorized(bot);
  const { retryAfterMs } = error;
  return toTransportError(error, retryAfterMs === undefined ? "chat" : floods(chatId, retryAfterMs));
}

async function tellUnauthorized({ announce, link, client }: Bot): Promise<void> {
  try {
    await announce({ status: "disabled", reason: "unauthorized" });
  } catch (error) {
    link.log("warn", "MAX: the state of the link was not stored", { detail: describe(error, client) });
  }
}

/** A deleted channel must not be called back for eight hours. The bot itself stays as it is. */
async function unsubscribe({ client, link }: Bot): Promise<void> {
  if (link.callbackUrl === null) return;
  try {
    const query = { url: link.callbackUrl };
    await client.call("DELETE", "/subscriptions", { query, signal: AbortSignal.timeout(LOGOUT_LIMIT_MS) });
  } catch (error) {
    link.log("info", "MAX: the subscription was not removed", { detail: describe(error, client) });
  }
}
