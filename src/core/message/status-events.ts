import type { Queryable } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { StatusFact } from "../event/facts.ts";
import type { Event } from "../event/publish.ts";
import { messageEvents, statusEvents } from "../webhook/payload/payloads.ts";
import { loadFacts } from "./load-facts.ts";

/** A status of a message, with what decides how it is published. */
export interface PublishedStatus extends StatusFact {
  /** The message was written on our own page, and this is the first event that receivers get of it. */
  readonly isFirstEvent: boolean;
}

/**
 * The events of statuses. Receivers do not know a message that was written on our own page: once it was sent or has
 * failed, they get the whole message instead of its first status.
 */
export async function eventsOfStatuses(
  core: Pick<Base, "settings">,
  tx: Queryable,
  statuses: readonly PublishedStatus[],
): Promise<Event[]> {
  const first = statuses.filter(({ isFirstEvent }) => isFirstEvent);
  const facts = await loadFacts(
    tx,
    core.settings.publicUrl,
    first.map(({ accountId, messageId: id }) => ({ accountId, id })),
  );
  const factOf = new Map(facts.map((fact) => [fact.messageId, fact]));
  return statuses.flatMap((status) => {
    const fact = status.isFirstEvent ? factOf.get(status.messageId) : undefined;
    return fact === undefined ? statusEvents(status) : messageEvents(fact);
  });
}
