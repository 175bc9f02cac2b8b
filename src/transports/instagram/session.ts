import type { Session } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { machineMs } from "../../platform/clock.ts";
import { endInTime } from "../kit/closing.ts";
import { GraphRefusal } from "../meta/error.ts";
import type { InstagramLink } from "./access.ts";
import { readAgain } from "./delivery.ts";
import { isTokenDead, toTransportError } from "./errors.ts";
import { openFile } from "./files.ts";
import { sendMessage } from "./sending.ts";
import { TIMING, type Timing, watch } from "./watch.ts";

/** Starts to look after the account and returns at once; what people write comes by callback. */
export async function openSession(
  link: InstagramLink,
  timing: Timing = TIMING,
): Promise<Required<Pick<Session, "send" | "openFile" | "readAgain" | "close">>> {
  const closing = new AbortController();
  const watching = watch({ link, timing, signal: AbortSignal.any([link.signal, closing.signal]) });
  return {
    send: (message, signal) => guarded(link, () => sendMessage(link, message, signal)),
    openFile: (file, signal) => guarded(link, () => openFile(link, file, signal)),
    readAgain: (payload) => readAgain(payload, link),
    async close() {
      closing.abort();
      await endInTime(watching);
    },
  };
}

/** Turns whatever goes wrong into a `TransportError`, and tells of a token that is dead. */
async function guarded<T>(link: InstagramLink, work: () => Promise<T>): Promise<T> {
  const askedAt = machineMs();
  try {
    return await work();
  } catch (error) {
    if (error instanceof TransportError) throw error;
    if (!(error instanceof GraphRefusal))
      throw new TransportError("UNKNOWN_ERROR", "Instagram's answer cannot be read", {
        retry: "unknown",
        cause: error,
      });
    if (isTokenDead(error.error)) await tellUnauthorized(link, askedAt);
    throw toTransportError(error);
  }
}

async function tellUnauthorized(link: InstagramLink, askedAt: number): Promise<void> {
  try {
    const state = { status: "disabled", reason: "unauthorized" } as const;
    await link.emit({ kind: "link", state, askedAt });
  } catch (error) {
    link.log("warn", "Instagram: the state of the link was not stored", { detail: String(error) });
  }
}
