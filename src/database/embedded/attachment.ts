import { setTimeout as sleep } from "node:timers/promises";
import pg, { type PoolConfig } from "pg";
import { isUnavailable } from "../failure.ts";
import { ATTACHED_LOCK, DETACH_LOCK, SERVICE_LOCK } from "../locks.ts";

/** A session that marks the server as in use by this program. It ends with the process, however the process ends. */
export interface Attachment {
  /** "ours" if claimed; otherwise the pid of the service that holds the directory, if known. */
  claimService(): Promise<"ours" | number | undefined>;
  /**
   * Ends the session. Runs `shutDown` first if no other program is attached. Returns whether this was the last one.
   */
  leave(shutDown: () => Promise<void>): Promise<boolean>;
  /** Calls back when the session ends without `leave`; immediately if it already has. */
  whenLost(callback: () => void): void;
}

const CLAIM_MS = 3_000;
const SERVICE_NAME = "trunkline-service";

/** Returns undefined if the server stopped meanwhile. */
export async function attach(connection: PoolConfig): Promise<Attachment | undefined> {
  const client = new pg.Client({ ...connection, application_name: `trunkline ${process.pid}` });
  const lost = Promise.withResolvers<void>();
  client.on("error", () => {});
  client.once("end", () => lost.resolve());
  try {
    await client.connect();
    await client.query("select pg_advisory_lock_shared($1)", [ATTACHED_LOCK]);
  } catch (error) {
    client.end().catch(() => {});
    if (isUnavailable(error)) return undefined;
    throw error;
  }
  return {
    claimService: () => claimService(client),
    leave: (shutDown) => leave(client, shutDown),
    whenLost(callback) {
      void lost.promise.then(callback);
    },
  };
}

async function claimService(client: pg.Client): Promise<"ours" | number | undefined> {
  const deadline = performance.now() + CLAIM_MS;
  while (!(await tryLock(client, SERVICE_LOCK))) {
    if (performance.now() > deadline) return serviceHolder(client);
    await sleep(50);
  }
  await client.query("select set_config('application_name', $1, false)", [`${SERVICE_NAME} ${process.pid}`]);
  return "ours";
}

async function tryLock(client: pg.Client, key: number): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>("select pg_try_advisory_lock($1) as locked", [
    key,
  ]);
  return rows[0]?.locked === true;
}

async function serviceHolder(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ name: string }>(
    "select application_name as name from pg_stat_activity where application_name like $1",
    [`${SERVICE_NAME} %`],
  );
  const pid = Number(rows[0]?.name.split(" ")[1]);
  return pid > 0 ? pid : undefined;
}

/**
 * Serialises programs that leave: two that checked at the same time would each see the other, and both would leave
 * the server running.
 */
async function leave(client: pg.Client, shutDown: () => Promise<void>): Promise<boolean> {
  try {
    await client.query("select pg_advisory_lock($1)", [DETACH_LOCK]);
    const isLast = await tryLock(client, ATTACHED_LOCK);
    if (isLast) await shutDown();
    // A session that ends releases its locks in no particular order. The next program must not see this one attached.
    else await client.query("select pg_advisory_unlock_shared($1)", [ATTACHED_LOCK]);
    return isLast;
  } catch (error) {
    // The server has already stopped.
    if (isUnavailable(error)) return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}
