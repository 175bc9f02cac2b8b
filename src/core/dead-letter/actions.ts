import type { Database, Queryable } from "../../database/database.ts";
import { type AuditAction, audit } from "../audit/audit.ts";
import { type DeadLetterFilter, type DeadLetterKey, deleteDeadLetters, markForReplay } from "./list.ts";

/**
 * Requests a replay of these dead letters by the nodes that own the channels. Letters that succeed are removed.
 * Returns their ids.
 */
export function replayDeadLetters(db: Database, filter: DeadLetterFilter): Promise<number[]> {
  return audited(db, "inbound.replay", (tx) => markForReplay(tx, filter));
}

/** Deletes these dead letters. Idempotent; returns how many there were. */
export async function removeDeadLetters(db: Database, filter: DeadLetterFilter): Promise<number> {
  return (await audited(db, "inbound.remove", (tx) => deleteDeadLetters(tx, filter))).length;
}

/** One audit entry per channel, since the letters may belong to several channels and accounts. */
function audited(
  db: Database,
  action: AuditAction,
  work: (tx: Queryable) => Promise<DeadLetterKey[]>,
): Promise<number[]> {
  return db.tx(async (tx) => {
    const chosen = await work(tx);
    for (const [subject, letters] of Map.groupBy(chosen, ({ channelId }) => channelId))
      for (const { accountId } of letters.slice(0, 1))
        await audit(tx, { accountId, action, subject, details: { reports: letters.length } });
    return chosen.map(({ id }) => id);
  });
}
