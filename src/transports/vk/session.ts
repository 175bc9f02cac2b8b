import type { Session } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { endInTime } from "../kit/closing.ts";
import { removeServer, watchCallbacks } from "./callback.ts";
import { type Community, createCommunity, describe, TIMING, type Timing, type VkLink } from "./community.ts";
import { deliver } from "./delivery.ts";
import { isUnauthorized, Refusal, toTransportError } from "./errors.ts";
import { openFile } from "./files.ts";
import { poll } from "./receiving.ts";
import { editMessage, removeMessage, sendMessage } from "./sending.ts";

const LOGOUT_LIMIT_MS = 10_000;

type VkSession = Required<Omit<Session, "answer">>;

/** Starts to receive and returns at once. */
export async function openSession(link: VkLink, timing: Timing = TIMING): Promise<VkSession> {
  const closing = new AbortController();
  const community = createCommunity(link, AbortSignal.any([link.signal, closing.signal]), timing);
  const receiving = link.callbackUrl === null ? poll(community) : watchCallbacks(community, link.callbackUrl);
  const guard = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch(async (error: unknown) => {
      throw await toFailure(error, community);
    });
  return {
    // Closing does not cut off a send: its outcome would be unknown.
    send: (message, signal) => guard(() => sendMessage(community, message, signal)),
    edit: (ref, change, signal) => guard(() => editMessage(community, ref, change, signal)),
    remove: (ref, signal) => guard(() => removeMessage(community, ref, signal)),
    openFile: (file, signal) => guard(() => openFile(community.client, file, signal)),
    logout: () => stopCallbacks(community),
    readAgain: (event) => deliver([event], community),
    async close() {
      closing.abort();
      await endInTime(receiving);
    },
  };
}

/** Turns whatever goes wrong into a `TransportError`. */
async function toFailure(error: unknown, community: Community): Promise<TransportError> {
  if (error instanceof TransportError) return error;
  if (!(error instanceof Refusal)) {
    const cause = new Error(describe(error, community.client));
    return new TransportError("UNKNOWN_ERROR", "VK's answer cannot be read", { retry: "unknown", cause });
  }
  if (isUnauthorized(error)) await tellUnauthorized(community);
  return toTransportError(error);
}

async function tellUnauthorized({ announce, link, client }: Community): Promise<void> {
  try {
    await announce({ status: "disabled", reason: "unauthorized" });
  } catch (error) {
    link.log("warn", "VK: the state of the link was not stored", { detail: describe(error, client) });
  }
}

/** A deleted channel must not be called back. The community itself stays as it is. */
async function stopCallbacks(community: Community): Promise<void> {
  const { client, link } = community;
  if (link.callbackUrl === null) return;
  try {
    await removeServer(community, AbortSignal.timeout(LOGOUT_LIMIT_MS));
  } catch (error) {
    link.log("info", "VK: the callback server was not removed", { detail: describe(error, client) });
  }
}
