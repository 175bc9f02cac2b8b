import type { OutboundMessage, Session } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { settleWithin } from "../kit/settle-within.ts";
import { AccountLife } from "./account-life.ts";
import { notConnected, toTransportError } from "./errors.ts";
import { groupMethods } from "./group/groups.ts";
import { openFile } from "./inbound/downloads.ts";
import type { TgapiLink } from "./link.ts";
import { editMessage, markChat, reactToMessage, removeMessage, sendMessage } from "./outbound/sending.ts";
import { findPerson } from "./people/recipients.ts";
import { TIMING, type Timing } from "./timing.ts";

const LOGOUT_LIMIT_MS = 8_000;

/** Starts connecting and returns immediately. */
export async function openSession(link: TgapiLink, timing: Timing = TIMING): Promise<Required<Session>> {
  const closing = new AbortController();
  const life = new AccountLife(link, AbortSignal.any([link.signal, closing.signal]), timing);
  const living = life.run();
  return {
    send: (message: OutboundMessage, signal) => guard(() => sendMessage(life.line(), message, signal)),
    edit: (ref, change, signal) => guard(() => editMessage(life.line(), ref, change, signal)),
    remove: (ref, signal) => guard(() => removeMessage(life.line(), ref, signal)),
    react: (target, emoji, signal) => guard(() => reactToMessage(life.line(), target, emoji, signal)),
    mark: (chat, mark, signal) => guard(() => markChat(life.line(), chat, mark, signal)),
    groups: groupMethods(() => life.line()),
    findPerson: (phone, signal) => guard(() => findPerson(life.line(), phone, signal)),
    openFile: (file, signal, resume) => guard(() => openFile(life.line(), file, { signal, resume })),
    answer: (step) => life.answer(step),
    async logout() {
      await guard(() => life.logout(AbortSignal.timeout(LOGOUT_LIMIT_MS)));
    },
    async reprocess(letter) {
      await guard(() => life.line().receiver.reprocess(letter));
    },
    async close() {
      closing.abort(notConnected());
      await settleWithin(living);
    },
  };
}

/** The store may fail before or after the send; a retry is harmless. */
async function guard<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TransportError ? error : toTransportError(error, { sent: true });
  }
}
