import type { Queryable } from "../../database/database.ts";
import { listReceivers, type Receiver } from "../delivery/receiver/receivers.ts";
import type { Scope } from "../scope.ts";

/** The receivers of all accounts, or of the given one. */
export async function listOperatorReceivers(db: Queryable, accountId: number | null): Promise<Receiver[]> {
  const accounts = await db.query<Scope>(
    `select distinct account_id as "accountId" from webhook_endpoints
     where $1::bigint is null or account_id = $1 order by 1`,
    [accountId],
  );
  return (await Promise.all(accounts.map((scope) => listReceivers(db, scope, { withSink: true })))).flat();
}

/** The receiver with this id, of any account. */
export async function findOperatorReceiver(db: Queryable, id: string): Promise<Receiver | null> {
  const [account] = await db.query<Scope>(
    `select account_id as "accountId" from webhook_endpoints where id::text = $1`,
    [id.toLowerCase()],
  );
  const receivers = account === undefined ? [] : await listReceivers(db, account, { withSink: true });
  return receivers.find((receiver) => receiver.id === id.toLowerCase()) ?? null;
}
