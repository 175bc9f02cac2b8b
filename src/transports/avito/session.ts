import type { Session } from "../../core/transport/connector.ts";
import { toFailure } from "../kit/failures.ts";
import { settleWithin } from "../kit/settle-within.ts";
import { createChannel, REFUSALS, TIMING, type Timing } from "./channel.ts";
import { deliver, removeWebhook } from "./inbound/callback.ts";
import { openFile } from "./inbound/files.ts";
import { listenForOwn } from "./inbound/live.ts";
import { createSignal, keepReceiving } from "./inbound/receiving.ts";
import type { AvitoLink } from "./linking/tokens.ts";
import { markAsRead, removeMessage, sendMessage } from "./outbound/sending.ts";

const LOGOUT_LIMIT_MS = 10_000;

type AvitoSession = Required<
  Pick<Session, "send" | "remove" | "mark" | "openFile" | "logout" | "reprocess" | "close">
>;

/** Starts receiving and returns immediately. */
export async function openSession(link: AvitoLink, timing: Timing = TIMING): Promise<AvitoSession> {
  const closing = new AbortController();
  const channel = createChannel(link, AbortSignal.any([link.signal, closing.signal]), timing);
  const alarm = createSignal();
  const stopListening = listenForOwn(link.channelId, ({ id = "", chat_id = "" }) => {
    // The id of a message being sent is known only once its send has settled.
    channel.sends.whenSettled(chat_id, () => {
      if (channel.sends.messageIdOf(id) === undefined) alarm.notify();
    });
  });
  const receiving = keepReceiving(channel, alarm);
  const guard = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch(async (error: unknown) => {
      throw await toFailure(error, channel, REFUSALS);
    });
  return {
    // Closing does not cancel a send, because its outcome would be unknown.
    send: (message, signal) => guard(() => sendMessage(channel, message, signal)),
    remove: (ref, signal) => guard(() => removeMessage(channel, ref, signal)),
    mark: (chat, _mark, signal) => guard(() => markAsRead(channel, chat, signal)),
    openFile: (file, signal, resume) => guard(() => openFile(channel, file, signal, resume)),
    logout: () => removeWebhook(channel, AbortSignal.timeout(LOGOUT_LIMIT_MS)),
    async reprocess(call) {
      await deliver(call, link, channel.client);
    },
    async close() {
      closing.abort();
      stopListening();
      await settleWithin(Promise.all([receiving, channel.tokens.settled()]));
    },
  };
}
