import type { Position } from "../position.ts";

/** The part of a list to read, between two positions that are not included. */
export interface ReadRange {
  readonly channelId: string | null;
  readonly before: Position | null;
  readonly after: Position | null;
  /** 1 to 100. */
  readonly limit: number;
}

export interface ReadPage<Item> {
  /** Newest first; oldest first if only `after` is given. */
  readonly items: readonly Item[];
  /** Cursor of the next page: `before` or, if only `after` was given, `after` of the next request; null: there is none. */
  readonly next: string | null;
}

/** Before every chat and message. */
export const START: Position = { at: 0, id: "00000000-0000-0000-0000-000000000000" };

/** A page ends after the message with which it exceeds this many bytes of text. */
export const MAX_READ_BYTES = 1024 * 1024;

/** Whether the list is read from the newest to the oldest. */
export function isBackwards({ before, after }: ReadRange): boolean {
  return before !== null || after === null;
}
