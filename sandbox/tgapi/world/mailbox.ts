import type { PeerRef } from "./peer.ts";

/** An event in a mailbox, with the mailbox's own message ids. */
export type Happening =
  | { readonly kind: "new" | "edit"; readonly id: number }
  | { readonly kind: "delete"; readonly ids: readonly number[] }
  | { readonly kind: "readInbox"; readonly peer: PeerRef; readonly maxId: number; readonly unread: number }
  | { readonly kind: "readOutbox"; readonly peer: PeerRef; readonly maxId: number };

/** An entry of the log from which differences are built. `pts` is the counter after it. */
export interface Change {
  readonly pts: number;
  readonly count: number;
  /** Unix seconds. */
  readonly date: number;
  readonly what: Happening;
}

/** Messages with a common numbering: of an account, or of a supergroup. Plain data. */
export interface Mailbox {
  pts: number;
  nextId: number;
  /** The letter behind each message id. */
  readonly letters: Map<number, number>;
  readonly log: Change[];
}

/** How many changes are kept; clients further behind have to reload. */
const keptChanges = 50_000;

/** Numbers of real accounts start at 1 too, and a pts of 0 is refused. */
export function emptyMailbox(): Mailbox {
  return { pts: 1, nextId: 1, letters: new Map(), log: [] };
}

/** Counts and logs a change. */
export function noteChange(box: Mailbox, date: number, what: Happening): Change {
  const count = what.kind === "delete" ? what.ids.length : 1;
  box.pts += count;
  const change = { pts: box.pts, count, date, what };
  box.log.push(change);
  if (box.log.length > keptChanges) box.log.splice(0, box.log.length - keptChanges);
  return change;
}

/** The changes after this counter, oldest first; undefined if they are no longer kept. */
export function changesAfter(box: Mailbox, pts: number): readonly Change[] | undefined {
  const first = box.log.findIndex((change) => change.pts > pts);
  if (first < 0) return pts >= box.pts ? [] : undefined;
  const oldest = box.log[first];
  if (oldest && oldest.pts - oldest.count > pts) return undefined;
  return box.log.slice(first);
}
