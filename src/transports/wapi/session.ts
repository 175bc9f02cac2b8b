import type { FileResume, OpenedFile, Session } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { FileRef } from "../../core/transport/events.ts";
import { monotonicMs } from "../../platform/clock.ts";
import { accessEnded } from "../kit/failures.ts";
import { numberIn, textIn } from "../kit/json.ts";
import { toOpenedFile } from "../kit/opened-file.ts";
import { reportMoved } from "../kit/report-moved.ts";
import { settleWithin } from "../kit/settle-within.ts";
import { GraphRefusal } from "../meta/error.ts";
import type { Graph } from "../meta/graph.ts";
import { channelFault, toTransportError } from "./errors.ts";
import { reprocess } from "./inbound/callback.ts";
import { graphOf, type WapiLink } from "./linking/access.ts";
import { markChat, reactToMessage, sendMessage } from "./outbound/sending.ts";
import { TIMING, type Timing, watch } from "./watch.ts";

/**
 * Starts the background work and returns immediately. Inbound messages arrive by webhook. There is no `logout`: other
 * numbers of the business may still use the subscription.
 */
export async function openSession(link: WapiLink, timing: Timing = TIMING): Promise<Session> {
  const closing = new AbortController();
  const graph = graphOf(link);
  const watching = watch({ link, graph, timing, signal: AbortSignal.any([link.signal, closing.signal]) });
  return {
    send: (message, signal) =>
      guarded(link, async () => {
        const sent = await sendMessage({ graph, link, signal }, message);
        // WhatsApp knows some numbers by other digits than people use.
        await reportMoved(link, message.to, sent);
        return sent;
      }),
    react: (target, emoji, signal) =>
      guarded(link, () => reactToMessage({ graph, link, signal }, target, emoji)),
    mark: (chat, mark, signal) => guarded(link, () => markChat({ graph, link, signal }, chat, mark)),
    openFile: (file, signal, resume) => guarded(link, () => openFile(graph, link, file, { signal, resume })),
    reprocess: (payload) => reprocess(payload, link),
    async close() {
      closing.abort();
      await settleWithin(watching);
    },
  };
}

/** Converts any failure into a `TransportError`, and reports errors that concern the whole number. */
async function guarded<T>(link: WapiLink, work: () => Promise<T>): Promise<T> {
  const askedAt = monotonicMs();
  try {
    return await work();
  } catch (error) {
    if (error instanceof TransportError) throw error;
    if (!(error instanceof GraphRefusal)) throw unexpected(error);
    const reason = channelFault(error.error);
    if (reason !== null) await reportDisabled(link, reason, askedAt);
    throw reason === "unauthorized" ? accessEnded("WhatsApp", error) : toTransportError(error);
  }
}

function unexpected(cause: unknown): TransportError {
  return new TransportError("UNKNOWN_ERROR", "WhatsApp returned an unreadable response", {
    retry: "unknown",
    cause,
  });
}

async function reportDisabled(
  link: WapiLink,
  reason: "unauthorized" | "blocked" | "rejected",
  askedAt: number,
): Promise<void> {
  try {
    await link.emit({ kind: "link", state: { status: "disabled", reason }, askedAt });
  } catch (error) {
    link.log("warn", "WhatsApp: the link state could not be stored", { detail: String(error) });
  }
}

/**
 * A media object contains a download URL that is valid for five minutes; both requests need the token (page "Media").
 */
async function openFile(
  graph: Graph,
  { credentials }: WapiLink,
  file: FileRef,
  { signal, resume }: { readonly signal: AbortSignal; readonly resume: FileResume | undefined },
): Promise<OpenedFile> {
  const query = { phone_number_id: credentials.phone_number_id };
  const media = await graph.call("GET", encodeURIComponent(file.token), { query, signal });
  const url = textIn(media, "url");
  if (url === undefined)
    throw new TransportError("GENERAL_ERROR", "WhatsApp does not have the file", { retry: "later" });
  const answer = await graph.download(url, signal, resume);
  const size = numberIn(media, "file_size");
  const mimeType = textIn(media, "mime_type") ?? file.mimeType;
  return toOpenedFile(answer, { name: file.name, mimeType, size });
}
