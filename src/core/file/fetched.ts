import type { Base } from "../base.ts";
import type { HasLive } from "../event/live-notifier.ts";
import {
  type FetchFailure,
  markFetchFailed,
  markStored,
  type StoreOutcome,
  type WaitingFile,
} from "./files.ts";

type Parts = Pick<Base, "db" | "signals"> & HasLive;

/**
 * Records that the content of an inbound file is stored, and notifies the pages that show its message or chat. See
 * `markStored`.
 */
export async function fileStored(
  core: Parts,
  file: WaitingFile,
  content: Parameters<typeof markStored>[2],
): Promise<StoreOutcome> {
  const outcome = await markStored(core.db, file, content);
  if (outcome === "stored") notifyPages(core, file);
  return outcome;
}

/** The download failed. Pages are notified if there is no further attempt. */
export async function fileNotFetched(core: Parts, file: WaitingFile, failure: FetchFailure): Promise<void> {
  await markFetchFailed(core.db, file, failure);
  if (failure.againMs === null) notifyPages(core, file);
}

function notifyPages({ live, signals }: Parts, { accountId, chat, messageId }: WaitingFile): void {
  // Requests may be waiting for the content.
  signals.notify("files");
  if (chat === null) return;
  const about = messageId === null ? "chat" : "message";
  live.notify({ accountId, about, chat, subject: messageId ?? chat });
}
