import type { Queryable, Transaction } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { Event } from "../payload/event.ts";
import { eventsOf } from "../payload/events-of.ts";
import type { Fact } from "../payload/facts.ts";
import { liveEvent } from "./about.ts";
import { appendEvents, type Published } from "./log.ts";
import type { LogReaders } from "./log-readers.ts";

/**
 * Appends what receivers and open pages are told of these facts to the logs of their accounts, in the caller's
 * transaction. Call it last in a transaction: it locks the logs until the commit. Returns the kinds of events that were
 * appended: pass them to `announce` after the commit, which also hands the events to `readers`. Facts with requests to the CRM go through `publishRequests`.
 */
export function publish(
  tx: Queryable,
  facts: readonly Fact[],
  readers?: LogReaders,
): Promise<readonly Published[]> {
  return appendEvents(tx, facts.flatMap(toEvents), readers);
}

/** The events that `publish` would append. Pure. */
export function toEvents(fact: Fact): Event[] {
  const seen = forReceivers(fact);
  return seen.kind === "live" ? [liveEvent(seen.change)] : eventsOf(seen);
}

/** Receivers do not know imported messages: only open pages are told of them, and of their changes. */
function forReceivers(fact: Fact): Fact {
  const isAboutMessage = fact.kind === "message" || fact.kind === "edited elsewhere";
  if (!isAboutMessage || fact.message.extras.isHistory !== true) return fact;
  const { accountId, chat, messageId: subject } = fact.message;
  return { kind: "live", change: { accountId, about: "message", chat, subject } };
}

/** Like `publish`, but sends the commit along with it, so that the lock is not held for another round trip. */
export function publishAndCommit(
  tx: Transaction,
  facts: readonly Fact[],
  readers?: LogReaders,
): Promise<readonly Published[]> {
  const published = publish(tx, facts, readers);
  tx.commitNow();
  return published;
}

/** Notifies the readers of the logs. Call it after the commit with the result of `publish`. */
export function announce({ signals }: Pick<Base, "signals">, published: readonly Published[]): void {
  for (const [accountId, own] of Map.groupBy(published, (each) => each.accountId)) {
    const handed = own.find((each) => each.handed)?.handed ?? undefined;
    signals.notify("webhooks", [accountId, ...own.map(({ kind }) => kind)].join(" "), handed);
  }
}

/** Notifies deliveries that any receiver of these accounts may have events to deliver. */
export function notifyReceivers({ signals }: Pick<Base, "signals">, accountIds: readonly number[]): void {
  for (const id of accountIds) signals.notify("webhooks", String(id));
}
