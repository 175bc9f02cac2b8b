import type { Base } from "../base.ts";
import type { HasLive } from "../live/teller.ts";
import { markFetchFailed, markStored, type WaitingFile } from "./files.ts";

type Parts = Pick<Base, "db" | "wakes"> & HasLive;

/**
 * The content of an inbound file is in the store. Pages that show its message or chat are told. False, with no effect, if
 * the account's files would exceed `maxBytes` in total (0: no limit).
 */
export async function fileStored(
  core: Parts,
  file: WaitingFile,
  content: Parameters<typeof markStored>[2],
): Promise<boolean> {
  const isStored = await markStored(core.db, file, content);
  if (isStored) tellWhoShows(core, file);
  return isStored;
}

/** The content could not be fetched. `againMs` null: it never will be, and pages are told. */
export async function fileNotFetched(
  core: Parts,
  file: WaitingFile,
  reason: string,
  againMs: number | null,
): Promise<void> {
  await markFetchFailed(core.db, file, reason, againMs);
  if (againMs === null) tellWhoShows(core, file);
}

function tellWhoShows({ live, wakes }: Parts, { accountId, chat, messageId }: WaitingFile): void {
  // Whoever waits for the link's content.
  wakes.wake("files");
  if (chat === null) return;
  const about = messageId === null ? "chat" : "message";
  live.tell({ accountId, about, chat, subject: messageId ?? chat });
}
