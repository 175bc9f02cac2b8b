import type { OutboundMessage, Session } from "../../core/transport/connector.ts";
import { endInTime } from "../kit/closing.ts";
import { toFailure } from "../kit/failures.ts";
import { createFloodWatch, type FloodWatch } from "../kit/floods.ts";
import type { ViberLink } from "./account.ts";
import { type Bot, createBot, disabledBy, TIMING, type Timing } from "./bot.ts";
import { deliver } from "./callback.ts";
import { isFlood, Refusal, type Refused, toTransportError } from "./errors.ts";
import { openFile } from "./files.ts";
import { sendMessage } from "./sending.ts";
import { keepWebhook, removeWebhook } from "./webhook.ts";

/** Viber names no time: for so long a refusal counts with others. */
const FLOOD_MEMORY_MS = 10_000;
const LOGOUT_LIMIT_MS = 10_000;

type ViberSession = Required<Pick<Session, "send" | "openFile" | "logout" | "readAgain" | "close">>;

/** Starts to look after the webhook and returns at once. */
export async function openSession(link: ViberLink, timing: Timing = TIMING): Promise<ViberSession> {
  const closing = new AbortController();
  const bot = createBot(link, AbortSignal.any([link.signal, closing.signal]), timing);
  const watching = keepWebhook(bot);
  const floods = createFloodWatch();
  return {
    // Closing does not cut off a send: its outcome would be unknown.
    send: (message, signal) =>
      guard(
        bot,
        (refusal) => refusedSend(message, refusal, floods),
        () => sendMessage(bot, message, signal),
      ),
    openFile: (file, signal) =>
      guard(
        bot,
        () => ({}),
        () => openFile(link, file, signal),
      ),
    logout: () => removeWebhook(bot, AbortSignal.timeout(LOGOUT_LIMIT_MS)),
    readAgain: async (call) => void (await deliver(call, link)),
    async close() {
      closing.abort();
      await endInTime(watching);
    },
  };
}

async function guard<T>(bot: Bot, about: (error: Refusal) => Refused, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw await toFailure(error, bot, {
      disabledBy: (failure) => disabledBy(failure, bot),
      meaningOf: (failure) => (failure instanceof Refusal ? toTransportError(failure, about(failure)) : null),
    });
  }
}

function refusedSend({ to, content }: OutboundMessage, refusal: Refusal, floods: FloodWatch): Refused {
  const isFile = content.type === "file";
  return isFlood(refusal) ? { isFile, floodScope: floods(to.chatId ?? "", FLOOD_MEMORY_MS) } : { isFile };
}
