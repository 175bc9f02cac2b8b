import type { Queryable } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { StatusFact } from "../event/facts.ts";
import { messageEvents, statusEvents } from "../event/payloads.ts";
import type { Event } from "../event/publish.ts";
import { loadFacts } from "./load-facts.ts";

/** A status of a message, with what decides how it is published. */
export interface ToldStatus extends StatusFact {
  /** The message was written on our own page, and this is the first event that receivers get of it. */
  readonly isNews: boolean;
}

/**
 * The events of statuses. Receivers do not know a message that was written on our own page: once it was sent or has
 * failed, they get the whole message instead of its first status.
 */
export async function toldEvents(
  core: Pick<Base, "settings">,
  tx: Queryable,
  statuses: readonly ToldStatus[],
): Promise<Event[]> {
  const news = statuses.filter(({ isNews }) => isNews);
  const facts = await loadFacts(
    tx,
    core.settings.publicUrl,
    news.map(({ accountId, messageId: id }) => ({ accountId, id })),
  );
  const factOf = new Map(facts.map((fact) => [fact.messageId, fact]));
  return statuses.flatMap((status) => {
    const fact = status.isNews ? factOf.get(status.messageId) : undefined;
    return fact === undefined ? statusEvents(status) : messageEvents(fact);
  });
}
