import { setTimeout as sleep } from "node:timers/promises";
import pg, { type PoolConfig } from "pg";
import { isAway } from "../failure.ts";
import { ATTACHED_LOCK, LEAVING_LOCK, SERVICE_LOCK } from "../locks.ts";

/** A session that says "this program uses the server". It ends with the process, however that dies. */
export interface Attachment {
  /** "ours" once claimed, otherwise the pid of the service that holds the directory, as far as known. */
  claimService(): Promise<"ours" | number | undefined>;
  /** Ends the session; when no other program is attached, runs `shutDown` first. Answers whether it was the last. */
  leave(shutDown: () => Promise<void>): Promise<boolean>;
  /** Calls back, at once if need be, when the session ended without `leave`. */
  whenLost(callback: () => void): void;
}

const CLAIM_MS = 3_000;
const SERVICE_NAME = "trunkline-service";

/** Answers undefined when the server went away meanwhile. */
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
    if (isAway(error)) return undefined;
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
 * Programs leave one after the other: two that looked at the same time would each see the other and both let
 * the server run.
 */
async function leave(client: pg.Client, shutDown: () => Promise<void>): Promise<boolean> {
  try {
    await client.query("select pg_advisory_lock($1)", [LEAVING_LOCK]);
    const isLast = await tryLock(client, ATTACHED_LOCK);
    if (isLast) await shutDown();
    return isLast;
  } catch (error) {
    // The server is gone already: nothing to stop.
    if (isAway(error)) return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}
