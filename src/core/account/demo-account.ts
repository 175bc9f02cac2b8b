import type { Queryable } from "../../database/database.ts";

/** The demo account of the sandbox: at most one at a time, recorded in `installation`. */

/** Claims the creation of the demo account. False if it was claimed before: it exists, or another node creates it. */
export async function claimDemo(db: Queryable): Promise<boolean> {
  const claimed = await db.query(
    "insert into installation (key, value) values ('demo', '') on conflict do nothing returning key",
    [],
  );
  return claimed.length > 0;
}

/** Records which account the claimed demo is. */
export async function recordDemo(db: Queryable, accountId: number): Promise<void> {
  await db.query("update installation set value = $1 where key = 'demo'", [String(accountId)]);
}

/** The claimed demo; its account is null until it is recorded. Null if there is no demo. */
export async function findDemo(db: Queryable): Promise<{ readonly accountId: number | null } | null> {
  const [demo] = await db.query<{ value: string }>("select value from installation where key = 'demo'", []);
  if (demo === undefined) return null;
  return { accountId: demo.value === "" ? null : Number(demo.value) };
}

/** Releases the claim, so that another demo can be created. Idempotent. */
export async function forgetDemo(db: Queryable): Promise<void> {
  await db.query("delete from installation where key = 'demo'", []);
}
