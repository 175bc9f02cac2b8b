import { setTimeout as sleep } from "node:timers/promises";
import type { OutboundMessage, Session } from "../../core/transport/connector.ts";
import { LoginRefused } from "../../core/transport/errors.ts";
import { AccountLife } from "./account-life.ts";
import { TIMING, type Timing } from "./connection.ts";
import { notConnected, toTransportError } from "./errors.ts";
import { parsePicture } from "./file-token.ts";
import { groupMethods } from "./group/groups.ts";
import { WA_CERT_DETAILS } from "./library.ts";
import type { WhatsAppLink } from "./link.ts";
import { markChat } from "./outbound/marks.ts";
import { openFile, openPicture } from "./outbound/media.ts";
import { editMessage, findPerson, reactToMessage, removeMessage, sendMessage } from "./outbound/sender.ts";

type WhatsAppSession = Required<Session>;

const CLOSE_LIMIT_MS = 4_000;
const LOGOUT_LIMIT_MS = 4_000;

/** Starts connecting and returns immediately. */
export async function openSession(link: WhatsAppLink, timing: Timing = TIMING): Promise<WhatsAppSession> {
  trustRoot(link.settings.rootKey);
  const closing = new AbortController();
  const life = new AccountLife(link, AbortSignal.any([link.signal, closing.signal]), timing);
  const living = life.run();
  let lastCodeAt = Number.NEGATIVE_INFINITY;
  return {
    send: (message: OutboundMessage, signal) => orAgain(() => sendMessage(life.line(), message, signal)),
    edit: (ref, change, signal) => orAgain(() => editMessage(life.line(), ref, change, signal)),
    remove: (ref, signal) => orAgain(() => removeMessage(life.line(), ref, signal)),
    react: (target, emoji, signal) => orAgain(() => reactToMessage(life.line(), target, emoji, signal)),
    mark: (chat, mark) => orAgain(() => markChat(life.line(), chat, mark)),
    groups: groupMethods(() => life.line()),
    findPerson: (phone) => orAgain(() => findPerson(life.line(), phone)),
    async openFile(file, signal) {
      const source = { home: link.settings.wsUrl, proxy: link.proxy, signal };
      const jid = parsePicture(file.token);
      if (jid === null) return openFile(file, source);
      return openPicture(life.line().socket, jid, source);
    },
    async answer({ kind, value }) {
      switch (kind) {
        case "pairingCode": {
          if (performance.now() - lastCodeAt < timing.codePauseMs)
            throw new LoginRefused("too_often", "Another code was requested less than a minute ago");
          const pairing = await life.pairingCode(value);
          lastCodeAt = performance.now();
          return pairing;
        }
        case "passkey":
          await life.answerPasskey(value);
          return {};
        case "code":
          await life.compareCode(value);
          return {};
        case "phone":
        case "password":
          throw new LoginRefused("not_expected", "This step is not part of the login");
      }
    },
    async logout() {
      const limit = sleep(LOGOUT_LIMIT_MS, undefined, { ref: false });
      await Promise.race([life.logout(), limit.then(() => Promise.reject(notConnected()))]);
    },
    async reprocess(letter) {
      await orAgain(() => life.reprocess(letter));
    },
    async close() {
      closing.abort();
      await within(CLOSE_LIMIT_MS, living);
    },
  };
}

/** The store may fail before or after the send; a retry is harmless. */
async function orAgain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TypeError ? error : toTransportError(error, { sent: true });
  }
}

/** An emulator has its own root key. Without the setting, the built-in key applies. */
function trustRoot(hex: string): void {
  if (/^[0-9a-f]{64}$/i.test(hex)) WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(hex, "hex");
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work.catch(() => undefined), sleep(ms, undefined, { ref: false })]);
}
