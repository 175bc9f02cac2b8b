import type { Queryable } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { Fact, StatusFact } from "../payload/facts.ts";
import { loadFacts } from "./load-facts.ts";

/** A status of a message, with what decides how it is published. */
export interface PublishedStatus extends StatusFact {
  /** The message was written on our own page, and this is the first event that receivers get of it. */
  readonly isFirstEvent: boolean;
  /** The message was imported: receivers do not know it. */
  readonly isHistory?: boolean;
}

/**
 * What is published of statuses. Receivers do not know a message that was written on our own page: once it was sent or has
 * failed, they get the whole message instead of its first status.
 */
export async function factsOfStatuses(
  core: Pick<Base, "settings">,
  tx: Queryable,
  statuses: readonly PublishedStatus[],
): Promise<Fact[]> {
  const first = statuses.filter(({ isFirstEvent }) => isFirstEvent);
  const messages = await loadFacts(
    tx,
    core.settings.publicUrl,
    first.map(({ accountId, messageId: id }) => ({ accountId, id })),
  );
  const messageOf = new Map(messages.map((message) => [message.messageId, message]));
  return statuses.map((status): Fact => {
    if (status.isHistory === true) return liveFact(status);
    const message = status.isFirstEvent ? messageOf.get(status.messageId) : undefined;
    return message === undefined ? { kind: "status", status } : { kind: "message", message };
  });
}

function liveFact({ accountId, chat, messageId: subject }: StatusFact): Fact {
  return { kind: "live", change: { accountId, about: "message", chat, subject } };
}
