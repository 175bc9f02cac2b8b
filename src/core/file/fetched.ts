import type { Base } from "../base.ts";
import type { HasLive } from "../live/notifier.ts";
import { markFetchFailed, markStored, type WaitingFile } from "./files.ts";

type Parts = Pick<Base, "db" | "signals"> & HasLive;

/**
 * Records that the content of an inbound file is stored, and notifies the pages that show its message or chat. False,
 * with no effect, if the account's files would exceed `maxBytes` in total (0: no limit).
 */
export async function fileStored(
  core: Parts,
  file: WaitingFile,
  content: Parameters<typeof markStored>[2],
): Promise<boolean> {
  const isStored = await markStored(core.db, file, content);
  if (isStored) notifyPages(core, file);
  return isStored;
}

/** The download failed. `againMs`: delay of the next attempt; null: there is none, and pages are notified. */
export async function fileNotFetched(
  core: Parts,
  file: WaitingFile,
  reason: string,
  againMs: number | null,
): Promise<void> {
  await markFetchFailed(core.db, file, reason, againMs);
  if (againMs === null) notifyPages(core, file);
}

function notifyPages({ live, signals }: Parts, { accountId, chat, messageId }: WaitingFile): void {
  // Requests may be waiting for the content.
  signals.notify("files");
  if (chat === null) return;
  const about = messageId === null ? "chat" : "message";
  live.notify({ accountId, about, chat, subject: messageId ?? chat });
}
