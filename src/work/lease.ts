import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { type Database, sql } from "../database/database.ts";
import { ReleaseTooOldError, readFloor } from "../database/schema.ts";
import { newId } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";

// The lock keeps a contract from being decided on until this node is found, see `database/contracts.ts`.
const REGISTER = sql(
  "node_register",
  `with floor as (select version from schema_floor for share)
   insert into nodes (id, name, roles, lease_until, sealing_key, schema_version)
   select $1::uuid, $2, $3::text[], now() + $4 * interval '1 millisecond', $5, $6::integer from floor where version <= $6::integer
   returning id`,
);
const RENEW = sql(
  "node_renew",
  `update nodes set lease_until = now() + $2 * interval '1 millisecond'
   where id = $1 and lease_until > now()
   returning exists (select 1 from nodes o where o.id <> $1 and o.lease_until > now()) as has_others`,
);
const LEAVE = sql(
  "node_leave",
  `with gone as (delete from nodes where id = $1 returning id),
   channels_free as (update channels set owner = null where owner = any(array(select id from gone)))
   update webhook_cursors set claim = null, due = now() where claim = any(array(select id from gone))`,
);

/** A node stops acting on its lease this long before the end, whatever the database's clock says. */
const FENCE_MS = 500;

/**
 * After a stall of the process, timers run before responses that have already arrived. Waits for these responses, so
 * that a lease that was renewed in time is not taken for lost.
 */
async function untilHeard(isRenewed: boolean): Promise<boolean> {
  for (let turns = 0; turns < 2; turns++) await setImmediate();
  return isRenewed;
}

/** A node's right to work on channels: valid only while its row was renewed in time. */
export interface Lease {
  /** Changes when the lease was lost: what the old id owned may have other owners now. */
  readonly nodeId: string;
  /** False from half a second before the lease ends; nothing may be sent then. */
  isValid(): boolean;
  /** Releases everything at once. */
  release(): Promise<void>;
}

/**
 * Whether this node may still act on what it claimed under that id. Without its lease, others may have claimed it.
 */
export function isHeldBy(lease: Lease, nodeId: string): boolean {
  return lease.isValid() && lease.nodeId === nodeId;
}

export interface LeaseOptions {
  readonly db: Database;
  readonly log: Log;
  readonly name: string;
  readonly roles: readonly string[];
  readonly leaseMs: number;
  /** Fingerprint of the key that the node seals with. */
  readonly sealingKey: string;
  /** Of this release; contracts wait for nodes that do not know their expands. */
  readonly schemaVersion: number;
  /** Called when the lease ended unexpectedly; a new one is taken after it resolved. */
  onLost(): Promise<void>;
  onRegained(): void;
  /** Called when the lease was lost and this release is excluded by now: no lease is taken any more. */
  onTooOld(error: ReleaseTooOldError): void;
  /** Called with each renewal: whether other live nodes exist. */
  onCompany(hasOthers: boolean): void;
}

/** Takes a lease and keeps renewing it, six times per term. Throws `ReleaseTooOldError`. */
export async function takeLease(options: LeaseOptions): Promise<Lease> {
  const { db, log, leaseMs } = options;
  const stop = new AbortController();
  let nodeId = "";
  let validUntil = 0;

  async function register(): Promise<void> {
    const id = newId();
    const asked = performance.now();
    const { name, roles, sealingKey, schemaVersion } = options;
    const rows = await db.query(REGISTER, [id, name, roles, leaseMs, sealingKey, schemaVersion]);
    if (rows.length === 0) throw new ReleaseTooOldError(await readFloor(db), schemaVersion);
    nodeId = id;
    validUntil = asked + leaseMs - FENCE_MS;
  }

  async function renew(): Promise<boolean> {
    const id = nodeId;
    const asked = performance.now();
    const rows = await db.query<{ has_others: boolean }>(RENEW, [id, leaseMs]);
    for (const { has_others: hasOthers } of rows) options.onCompany(hasOthers);
    // A response that arrives after the lease was lost belongs to the former node id.
    if (rows.length > 0 && validUntil > 0 && id === nodeId) validUntil = asked + leaseMs - FENCE_MS;
    return rows.length > 0;
  }

  /** False if the lease is lost, or ends before the database responds. */
  async function isRenewed(): Promise<boolean> {
    const answered = new AbortController();
    // A node that was frozen may still have its row; until the response, the lease counts as invalid.
    const leftMs = Math.max(FENCE_MS, validUntil - performance.now());
    const ended = sleep(leftMs, false, { signal: answered.signal }).then(untilHeard);
    const renewed = renew().catch((error: unknown) => {
      log.debug({ err: error }, "the lease could not be renewed yet");
      return performance.now() < validUntil;
    });
    const outcome = await Promise.race([renewed, ended.catch(() => false)]);
    answered.abort();
    return outcome;
  }

  async function keep(): Promise<void> {
    for (let askedAt = performance.now(); !stop.signal.aborted; ) {
      // Counted from the last request, not from its response: after a slow one the next is due at once.
      const restMs = askedAt + leaseMs / 6 - performance.now();
      await sleep(Math.max(0, restMs), undefined, { signal: stop.signal }).catch(() => undefined);
      askedAt = performance.now();
      if (stop.signal.aborted) return;
      if (!(await isRenewed())) await replace();
    }
  }

  async function replace(): Promise<void> {
    log.warn({ nodeId }, "this node lost its lease: it stops all sessions and starts over");
    validUntil = 0;
    await options.onLost();
    while (!stop.signal.aborted) {
      try {
        await register();
        log.info({ nodeId }, "this node has a lease again");
        options.onRegained();
        return;
      } catch (error) {
        if (error instanceof ReleaseTooOldError) {
          stop.abort();
          return options.onTooOld(error);
        }
        log.debug({ err: error }, "no lease yet");
        await sleep(leaseMs / 6, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
  }

  await register();
  const kept = keep();
  return {
    get nodeId() {
      return nodeId;
    },
    isValid: () => performance.now() < validUntil,
    async release() {
      stop.abort();
      await kept;
      validUntil = 0;
      await db.query(LEAVE, [nodeId]);
    },
  };
}
