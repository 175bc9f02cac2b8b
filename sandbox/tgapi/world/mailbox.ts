import type { PeerRef } from "./peer.ts";

/** What happened in a mailbox, in terms of its own message ids. */
export type Happening =
  | { readonly kind: "new" | "edit"; readonly id: number }
  | { readonly kind: "delete"; readonly ids: readonly number[] }
  | { readonly kind: "readInbox"; readonly peer: PeerRef; readonly maxId: number; readonly unread: number }
  | { readonly kind: "readOutbox"; readonly peer: PeerRef; readonly maxId: number };

/** An entry of the log that differences are made of. `pts` is the counter after it. */
export interface Change {
  readonly pts: number;
  readonly count: number;
  /** Seconds since 1970. */
  readonly date: number;
  readonly what: Happening;
}

/** Messages that share one numbering: those of an account, or those of a supergroup. Plain data. */
export interface Mailbox {
  pts: number;
  nextId: number;
  /** The letter behind each message id. */
  readonly letters: Map<number, number>;
  readonly log: Change[];
}

/** How many changes are kept; whoever is further behind has to begin anew. */
const keptChanges = 50_000;

/** Numbers of real accounts begin at 1 too, and a pts of 0 is refused. */
export function emptyMailbox(): Mailbox {
  return { pts: 1, nextId: 1, letters: new Map(), log: [] };
}

/** Counts a change and notes it. */
export function noteChange(box: Mailbox, date: number, what: Happening): Change {
  const count = what.kind === "delete" ? what.ids.length : 1;
  box.pts += count;
  const change = { pts: box.pts, count, date, what };
  box.log.push(change);
  if (box.log.length > keptChanges) box.log.splice(0, box.log.length - keptChanges);
  return change;
}

/** What came after this counter, oldest first; undefined when that is no longer known. */
export function changesAfter(box: Mailbox, pts: number): readonly Change[] | undefined {
  const first = box.log.findIndex((change) => change.pts > pts);
  if (first < 0) return pts >= box.pts ? [] : undefined;
  const oldest = box.log[first];
  if (oldest && oldest.pts - oldest.count > pts) return undefined;
  return box.log.slice(first);
}
