import type { Session } from "../../core/transport/connector.ts";
import { describe, type SessionRefusals, toFailure } from "../kit/failures.ts";
import { settleWithin } from "../kit/settle-within.ts";
import { removeServer, watchCallbacks } from "./callback.ts";
import { type Community, createCommunity, TIMING, type Timing, type VkLink } from "./community.ts";
import { deliver } from "./delivery.ts";
import { isUnauthorized, Refusal, toTransportError } from "./errors.ts";
import { openFile } from "./files.ts";
import { groupMethods } from "./group/groups.ts";
import { markChat } from "./marks.ts";
import { reactToMessage } from "./reactions.ts";
import { poll } from "./receiving.ts";
import { editMessage, removeMessage, sendMessage } from "./sending.ts";

const LOGOUT_LIMIT_MS = 10_000;

type VkSession = Required<Omit<Session, "answer" | "findPerson">>;

/** Starts receiving and returns immediately. */
export async function openSession(link: VkLink, timing: Timing = TIMING): Promise<VkSession> {
  const closing = new AbortController();
  const community = createCommunity(link, AbortSignal.any([link.signal, closing.signal]), timing);
  const receiving = link.callbackUrl === null ? poll(community) : watchCallbacks(community, link.callbackUrl);
  const guard = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch(async (error: unknown) => {
      throw await toFailure(error, community, REFUSALS);
    });
  return {
    // Closing does not cancel a send, because its outcome would be unknown.
    send: (message, signal) => guard(() => sendMessage(community, message, signal)),
    edit: (ref, change, signal) => guard(() => editMessage(community, ref, change, signal)),
    react: (target, emoji, signal) => guard(() => reactToMessage(community, target, emoji, signal)),
    remove: (ref, signal) => guard(() => removeMessage(community, ref, signal)),
    mark: (chat, mark, signal) => guard(() => markChat(community, chat, mark, signal)),
    groups: groupMethods(community, guard),
    openFile: (file, signal, resume) => guard(() => openFile(community.client, file, signal, resume)),
    logout: () => stopCallbacks(community),
    reprocess: (event) => deliver([event], community),
    async close() {
      closing.abort();
      await settleWithin(receiving);
    },
  };
}

const REFUSALS: SessionRefusals = {
  disabledBy: (error) => (error instanceof Refusal && isUnauthorized(error) ? "unauthorized" : null),
  meaningOf: (error) => (error instanceof Refusal ? toTransportError(error) : null),
};

/** Deletes the callback server of a deleted channel. The community itself is not changed. */
async function stopCallbacks(community: Community): Promise<void> {
  const { client, link } = community;
  if (link.callbackUrl === null) return;
  try {
    await removeServer(community, AbortSignal.timeout(LOGOUT_LIMIT_MS));
  } catch (error) {
    link.log("info", "VK: the callback server could not be deleted", { detail: describe(error, client) });
  }
}
