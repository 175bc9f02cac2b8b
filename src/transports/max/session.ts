import type { OutboundMessage, Session } from "../../core/transport/connector.ts";
import { LoginRefused } from "../../core/transport/errors.ts";
import { settleWithin } from "../kit/settle-within.ts";
import { AccountLife } from "./account-life.ts";
import { notConnected } from "./errors.ts";
import { groupMethods } from "./group/groups.ts";
import { openFile } from "./inbound/files.ts";
import type { MaxLink } from "./link.ts";
import {
  editMessage,
  findPerson,
  markChat,
  reactToMessage,
  removeMessage,
  sendMessage,
  uploadParts,
} from "./outbound/sender.ts";
import { TIMING, type Timing } from "./timing.ts";

type MaxSession = Required<Session>;

const LOGOUT_LIMIT_MS = 4_000;

/** Starts connecting and returns immediately. */
export async function openSession(link: MaxLink, timing: Timing = TIMING): Promise<MaxSession> {
  const closing = new AbortController();
  const life = new AccountLife(link, AbortSignal.any([link.signal, closing.signal]), timing);
  const living = life.run();
  return {
    send: async (message: OutboundMessage, signal) => sendMessage(life.line(), message, signal),
    edit: async (ref, change) => editMessage(life.line(), ref, change),
    react: async (target, emoji) => reactToMessage(life.line(), target, emoji),
    remove: async (ref) => removeMessage(life.line(), ref),
    mark: async (chat, mark) => markChat(life.line(), chat, mark),
    groups: groupMethods(() => life.line()),
    findPerson: async (phone) => findPerson(life.line(), phone),
    async openFile(file, signal, resume) {
      const ask = async (opcode: number, payload: object) => life.line().ask(opcode, payload);
      return openFile(uploadParts({ ask, link }, signal), file, resume);
    },
    async answer({ kind, value }) {
      if (kind !== "password") throw new LoginRefused("not_expected", "This step is not part of the login");
      await life.givePassword(value);
      return {};
    },
    async logout() {
      const { promise, reject } = Promise.withResolvers<never>();
      const limit = setTimeout(() => reject(notConnected()), LOGOUT_LIMIT_MS);
      await Promise.race([life.logout(), promise]).finally(() => clearTimeout(limit));
    },
    async reprocess(letter) {
      await life.reprocess(letter);
    },
    async close() {
      closing.abort();
      await settleWithin(living);
    },
  };
}
