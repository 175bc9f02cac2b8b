import type { Session } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { monotonicMs } from "../../platform/clock.ts";
import { accessEnded } from "../kit/failures.ts";
import { settleWithin } from "../kit/settle-within.ts";
import { GraphRefusal } from "../meta/error.ts";
import type { InstagramLink } from "./access.ts";
import { isTokenDead, toTransportError } from "./errors.ts";
import { reprocess } from "./inbound/delivery.ts";
import { openFile } from "./inbound/files.ts";
import { markChat, reactToMessage } from "./outbound/reacting.ts";
import { sendMessage } from "./outbound/sending.ts";
import { TIMING, type Timing, watch } from "./watch.ts";

/** Starts the background work and returns immediately. Inbound messages arrive by webhook. */
export async function openSession(
  link: InstagramLink,
  timing: Timing = TIMING,
): Promise<Required<Pick<Session, "send" | "react" | "mark" | "openFile" | "reprocess" | "close">>> {
  const closing = new AbortController();
  const watching = watch({ link, timing, signal: AbortSignal.any([link.signal, closing.signal]) });
  return {
    send: (message, signal) => guarded(link, () => sendMessage(link, message, signal)),
    react: (target, emoji, signal) => guarded(link, () => reactToMessage(link, target, emoji, signal)),
    mark: (chat, mark, signal) => guarded(link, () => markChat(link, chat, mark, signal)),
    openFile: (file, signal, resume) => guarded(link, () => openFile(link, file, { signal, resume })),
    reprocess: (payload) => reprocess(payload, link),
    async close() {
      closing.abort();
      await settleWithin(watching);
    },
  };
}

/** Converts any failure into a `TransportError`, and reports a dead token to core. */
async function guarded<T>(link: InstagramLink, work: () => Promise<T>): Promise<T> {
  const askedAt = monotonicMs();
  try {
    return await work();
  } catch (error) {
    if (error instanceof TransportError) throw error;
    if (!(error instanceof GraphRefusal))
      throw new TransportError("UNKNOWN_ERROR", "Instagram returned an unreadable response", {
        retry: "unknown",
        cause: error,
      });
    if (!isTokenDead(error.error)) throw toTransportError(error);
    await reportUnauthorized(link, askedAt);
    throw accessEnded("Instagram", error);
  }
}

async function reportUnauthorized(link: InstagramLink, askedAt: number): Promise<void> {
  try {
    const state = { status: "disabled", reason: "unauthorized" } as const;
    await link.emit({ kind: "link", state, askedAt });
  } catch (error) {
    link.log("warn", "Instagram: the link state could not be stored", { detail: String(error) });
  }
}
