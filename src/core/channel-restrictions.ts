import type { AccountRestriction, RestrictionKind } from "./transport/errors.ts";

/** What the messenger does not allow the channel's account, as clients see it. */
export interface Restriction {
  readonly kind: RestrictionKind;
  readonly reason: string;
  readonly since: Date;
  /** Null: the messenger does not say when it ends. */
  readonly until: Date | null;
}

/** The same in the table: JSON. */
export interface StoredRestriction {
  readonly kind: RestrictionKind;
  readonly reason: string;
  readonly since: string;
  /** When it is taken to be over; null: when the messenger says so. */
  readonly endsAt: string | null;
  /** The messenger did not say when it ends: `endsAt` is an estimate, which clients do not see. */
  readonly isEstimate: boolean;
}

export function restrictionOf({ kind, reason, since, endsAt, isEstimate }: StoredRestriction): Restriction {
  const until = endsAt === null || isEstimate ? null : new Date(endsAt);
  return { kind, reason, since: new Date(since), until };
}

/** In the interface's spelling, which both versions share. */
export function restrictionItem({ kind, reason, since, until }: Restriction) {
  return { kind, reason, since: since.toISOString(), until: until?.toISOString() ?? null };
}
export type RestrictionItem = ReturnType<typeof restrictionItem>;

/**
 * The restrictions after a report of the messenger; `null`: that kind has ended. A repeated report changes nothing, a
 * restriction keeps its beginning when its end changes, and an estimate does not replace an end that the messenger has
 * stated. Pure.
 */
export function restrictionsAfter(
  known: readonly StoredRestriction[],
  kind: RestrictionKind,
  report: AccountRestriction | null,
  now: Date,
): readonly StoredRestriction[] {
  const current = known.filter((each) => !isOver(each, now));
  const before = current.find((each) => each.kind === kind);
  const others = current.filter((each) => each.kind !== kind);
  if (report === null) return others;
  const next = merged(before, storedOf(kind, report, now));
  return isOver(next, now) ? others : [...others, next].toSorted(byBeginning);
}

function storedOf(
  kind: RestrictionKind,
  { reason, until, isEstimate = false }: AccountRestriction,
  now: Date,
): StoredRestriction {
  return { kind, reason, since: now.toISOString(), endsAt: until?.toISOString() ?? null, isEstimate };
}

function merged(before: StoredRestriction | undefined, next: StoredRestriction): StoredRestriction {
  if (before === undefined) return next;
  if (!next.isEstimate) return { ...next, since: before.since };
  if (!before.isEstimate) return before;
  const [a, b] = [before.endsAt, next.endsAt];
  return { ...next, since: before.since, endsAt: a === null || b === null ? null : a > b ? a : b };
}

function isOver({ endsAt }: StoredRestriction, now: Date): boolean {
  return endsAt !== null && Date.parse(endsAt) <= now.getTime();
}

function byBeginning(a: StoredRestriction, b: StoredRestriction): number {
  return a.since < b.since ? -1 : a.since > b.since ? 1 : a.kind < b.kind ? -1 : 1;
}

/** Whether clients see no difference. */
export function isSameForClients(a: readonly StoredRestriction[], b: readonly StoredRestriction[]): boolean {
  return JSON.stringify(a.map(restrictionOf)) === JSON.stringify(b.map(restrictionOf));
}
