import type { OutboundMessage, Session } from "../../core/transport/connector.ts";
import { toFailure } from "../kit/failures.ts";
import { settleWithin } from "../kit/settle-within.ts";
import type { ViberLink } from "./account.ts";
import { type Bot, createBot, disabledBy, TIMING, type Timing } from "./bot.ts";
import { deliver } from "./callback.ts";
import { isFlood, Refusal, type Refused, toTransportError } from "./errors.ts";
import { openFile } from "./files.ts";
import { Floods } from "./floods.ts";
import { sendMessage } from "./sending.ts";
import { keepWebhook, removeWebhook } from "./webhook.ts";

const LOGOUT_LIMIT_MS = 10_000;

type ViberSession = Required<Pick<Session, "send" | "openFile" | "logout" | "reprocess" | "close">>;

/** Starts checking the webhook and returns immediately. */
export async function openSession(link: ViberLink, timing: Timing = TIMING): Promise<ViberSession> {
  const closing = new AbortController();
  const bot = createBot(link, AbortSignal.any([link.signal, closing.signal]), timing);
  const watching = keepWebhook(bot);
  const floods = new Floods();
  return {
    // Closing does not cancel a send, because its outcome would be unknown.
    send: (message, signal) =>
      guard(
        bot,
        (refusal) => refusedSend(message, refusal, floods),
        async () => {
          const sent = await sendMessage(bot, message, signal);
          floods.accepted(message.to.chatId ?? "");
          return sent;
        },
      ),
    openFile: (file, signal, resume) =>
      guard(
        bot,
        () => ({}),
        () => openFile(link, file, signal, resume),
      ),
    logout: () => removeWebhook(bot, AbortSignal.timeout(LOGOUT_LIMIT_MS)),
    reprocess: async (call) => void (await deliver(call, link)),
    async close() {
      closing.abort();
      await settleWithin(watching);
    },
  };
}

async function guard<T>(
  bot: Bot,
  describeRefused: (error: Refusal) => Refused,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw await toFailure(error, bot, {
      disabledBy: (failure) => disabledBy(failure, bot),
      meaningOf: (failure) =>
        failure instanceof Refusal ? toTransportError(failure, describeRefused(failure)) : null,
    });
  }
}

function refusedSend({ to, content }: OutboundMessage, refusal: Refusal, floods: Floods): Refused {
  const isFile = content.type === "file";
  return isFlood(refusal) ? { isFile, ...floods.refused(to.chatId ?? "") } : { isFile };
}
