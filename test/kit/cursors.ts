import { type ClaimOptions, type Cursor, claimCursors } from "../../src/core/delivery/cursor/cursors.ts";
import { type Reading, readEvents } from "../../src/core/delivery/cursor/read.ts";
import { beginCursors } from "../../src/core/delivery/cursor/waiting.ts";
import type { Database, Queryable } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";

/** A receiver of the account that takes these kinds from now on. Returns its id. */
export async function addReceiver(
  db: Database,
  accountId: number,
  kinds: readonly string[] = ["messages"],
  version: "v2" | "v3" = "v2",
): Promise<string> {
  const id = newId();
  await db.query(
    `insert into webhook_endpoints (account_id, id, version, url, kinds, secret)
     values ($1, $2, $3, 'http://x/' || $2::uuid, '{}', '')`,
    [accountId, id, version],
  );
  await takeKinds(db, id, kinds);
  return id;
}

/** From now on the receiver takes these. */
export async function takeKinds(db: Database, id: string, kinds: readonly string[]): Promise<void> {
  await db.tx(async (tx) => {
    const [row] = await tx.query<{ account_id: number }>(
      "update webhook_endpoints set kinds = $2 where id = $1 returning account_id",
      [id, kinds],
    );
    await beginCursors(tx, { accountId: row?.account_id ?? 0 });
  });
}

/** The one cursor that has something to read. */
export async function claimOne(
  db: Queryable,
  nodeId: string,
  options: Partial<ClaimOptions> = { everywhere: true },
): Promise<Cursor> {
  const [cursor, ...others] = await claimCursors(db, nodeId, { limit: 10, accounts: [], ...options });
  if (cursor === undefined || others.length > 0) throw new Error("there was nothing to claim, or too much");
  return cursor;
}

/** Everything that waits for it. */
export const readAll = (db: Queryable, cursor: Cursor): Promise<Reading> =>
  readEvents(db, cursor, {
    limit: 1_000,
    maxBytes: 1_000_000,
    position: cursor.position,
    after: 0,
  });
