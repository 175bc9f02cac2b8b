import { afterAll, beforeAll, describe, test } from "vitest";
import { reclaimCursors, releaseStrayCursors } from "../../src/core/delivery/cursor/cursors.ts";
import { dropQueue } from "../../src/core/delivery/cursor/queues.ts";
import { pauseReceiver, resumeReceiver } from "../../src/core/delivery/receiver/pause.ts";
import { newId } from "../../src/platform/ids.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "../api/kit/service.ts";
import { holdTx } from "../kit/database.ts";

/** Statements of two connections that lock several rows. */

let node: TestNode;
let account: TestAccount;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

async function untilOneWaitsForALock(): Promise<void> {
  for (;;) {
    const waiting = await node.db.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (waiting.length > 0) return;
  }
}

describe("all statements that change several cursors of a receiver lock them in the same order:", () => {
  const CLAIMED = newId();

  test.each<[string, string, (endpointId: string) => Promise<unknown>]>([
    ["a pause", "null", (endpointId) => pauseReceiver(node.db, { ...of(), endpointId }, "asked", "")],
    ["a resumption", "null", (endpointId) => resumeReceiver(node.db, { ...of(), endpointId })],
    ["the removal of its queues", "null", (endpointId) => dropQueue(node.db, { ...of(), endpointId })],
    ["the reclaim from a dead node", `'${CLAIMED}'`, () => reclaimCursors(node.db)],
    ["the release of strays", `'${CLAIMED}'`, () => releaseStrayCursors(node.db, CLAIMED, [])],
  ])("%s", async (name, claim, change) => {
    const endpointId = newId();
    await node.db.query("delete from webhook_cursors");
    await node.db.query(
      `insert into webhook_endpoints (account_id, id, version, url, kinds, secret, paused_at)
       values ($1, $2::uuid, 'v2', $2::uuid::text, '{}', '', case when $3 then now() end)`,
      [account.id, endpointId, name === "a resumption"],
    );
    const cursors = [newId(), newId()].toSorted();
    for (const cursor of cursors.toReversed())
      await node.db.query(
        `insert into webhook_cursors (id, account_id, endpoint_id, position, claim) values ($3, $1, $2, 0, ${claim})`,
        [account.id, endpointId, cursor],
      );
    const locked = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    const other = holdTx(node.db, async (tx) => {
      await tx.query(LOCK, [cursors[0]]);
      locked.resolve();
      await mayGoOn.promise;
      await tx.query(LOCK, [cursors[1]]);
    });
    await locked.promise;
    const changing = change(endpointId);
    changing.catch(() => undefined);
    await untilOneWaitsForALock();
    mayGoOn.resolve();
    await Promise.all([other, changing]);
  });

  const of = () => ({ accountId: account.id });
  const LOCK = "select 1 from webhook_cursors where id = $1 for no key update";
});
