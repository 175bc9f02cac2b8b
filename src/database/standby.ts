import type { ClientBase } from "pg";
import { ServerIsStandby } from "./failure.ts";

const IS_STANDBY = "select pg_is_in_recovery() as is_standby";

/**
 * Throws `ServerIsStandby` if the server is in recovery. Call it on each new connection: a promotion keeps the
 * sessions of the standby, and a session set up before it would not notice the new timeline. A server ends all
 * sessions before it returns to recovery, so one check per connection is enough. The check is a transaction of its
 * own, because a transaction that began in recovery stays read-only.
 */
export async function refuseStandby(client: ClientBase, timeoutMs: number): Promise<void> {
  const check = { text: IS_STANDBY, query_timeout: timeoutMs };
  const { rows } = await client.query<{ is_standby: boolean }>(check);
  if (rows[0]?.is_standby !== false) throw new ServerIsStandby();
}
