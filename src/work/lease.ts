import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { registerNode, removeNode, renewLease } from "../core/node/nodes.ts";
import { type KnownPrimary, PrimaryMemory } from "../core/primary-memory.ts";
import type { Database } from "../database/database.ts";
import { ReleaseTooOldError, readFloor } from "../database/schema.ts";
import { newId } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import { LeaseHealth } from "./lease-health.ts";
import { renewalIntervalMs } from "./slow-start.ts";
import { orWhenLate } from "./time-limit.ts";

/** A node stops acting on its lease this long before the end, whatever the database's clock says. */
const FENCE_MS = 500;

/**
 * After a stall of the process, timers run before responses that have already arrived. Waits for these responses, so
 * that a lease that was renewed in time is not taken for lost.
 */
async function untilHeard(): Promise<false> {
  for (let turns = 0; turns < 2; turns++) await setImmediate();
  return false;
}

interface Clocks {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

const readClocks = (): Clocks => ({ monotonicMs: performance.now(), wallMs: Date.now() });

/** A node's right to work on channels: valid only while its row was renewed in time. */
export interface Lease {
  /** Changes when the lease was lost: what the old id owned may have other owners now. */
  readonly nodeId: string;
  /**
   * False from half a second before the lease ends; nothing may be sent then. The monotonic clock does not count the time
   * for which the machine is suspended, so the wall clock must agree that the term is not over.
   */
  isValid(): boolean;
  /**
   * The part of its usual concurrency that the node may use now, above 0 and up to 1: less after a start or a lost
   * lease, see `slow-start.ts`.
   */
  readonly concurrency: number;
  /** Survives the loss of a lease. */
  readonly primary: PrimaryMemory;
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
  onOthers(hasOthers: boolean): void;
  /** Called with each renewal until `noticeTimeline` has handled a change of the primary. */
  onNewPrimary?(memory: PrimaryMemory): void;
}

/**
 * Takes a lease and keeps renewing it, six times per term. After a loss it takes another one, at once or after a pause
 * (`slow-start.ts`). Throws `ReleaseTooOldError`.
 */
export async function takeLease(options: LeaseOptions): Promise<Lease> {
  const lease = new KeptLease(options);
  await lease.take();
  return lease;
}

class KeptLease implements Lease {
  readonly #options: LeaseOptions;
  readonly #health: LeaseHealth;
  readonly #intervalMs: number;
  readonly #stop = new AbortController();
  readonly primary = new PrimaryMemory();
  #nodeId = "";
  /** Of this lease, as far as they were acknowledged. */
  #renewals = 0;
  #validUntil = 0;
  /** The same by the wall clock. */
  #wallUntil = 0;
  #hasOthers = false;
  #kept: Promise<void> = Promise.resolve();

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#health = new LeaseHealth(options.leaseMs, options.log);
    this.#intervalMs = renewalIntervalMs(options.leaseMs);
  }

  get nodeId(): string {
    return this.#nodeId;
  }

  get concurrency(): number {
    return this.#health.concurrency;
  }

  isValid(): boolean {
    return performance.now() < this.#validUntil && Date.now() < this.#wallUntil;
  }

  async take(): Promise<void> {
    try {
      await this.#register();
    } catch (error) {
      this.#health.end();
      throw error;
    }
    this.#kept = this.#keep();
  }

  async release(): Promise<void> {
    this.#stop.abort();
    await this.#kept;
    this.#validUntil = 0;
    this.#health.end();
    await removeNode(this.#options.db, this.#nodeId);
  }

  async #register(): Promise<void> {
    const { db, schemaVersion } = this.#options;
    const id = newId();
    const asked = readClocks();
    const primary = await registerNode(db, { ...this.#options, id });
    if (primary === null) throw new ReleaseTooOldError(await readFloor(db), schemaVersion);
    this.#nodeId = id;
    this.#note(primary);
    this.#extend(asked);
    this.#health.taken(asked.monotonicMs);
  }

  #note(primary: KnownPrimary): void {
    this.#renewals = primary.renewals;
    if (this.primary.note(primary)) this.#options.onNewPrimary?.(this.primary);
  }

  /** The term counts from the request, because the database's response may be late. */
  #extend({ monotonicMs, wallMs }: Clocks): void {
    const termMs = this.#options.leaseMs - FENCE_MS;
    this.#validUntil = monotonicMs + termMs;
    this.#wallUntil = wallMs + termMs;
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stop;
    for (let dueAt = performance.now() + this.#intervalMs; !signal.aborted; ) {
      await this.#rest(dueAt - performance.now());
      if (signal.aborted) return;
      const askedAt = performance.now();
      // Counted from the last request, not from its response: after a slow one the next is due at once.
      if (await this.#isRenewed(dueAt)) dueAt = askedAt + this.#intervalMs;
      else {
        await this.#replace(askedAt);
        dueAt = performance.now() + this.#intervalMs;
      }
    }
  }

  /** Resolves early, without an error, when the lease is released. */
  async #rest(ms: number): Promise<void> {
    await sleep(Math.max(0, ms), undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  /** False if the lease is lost, or ends before the database responds. */
  async #isRenewed(dueAt: number): Promise<boolean> {
    // A node that was frozen may still have its row; until the response, the lease counts as invalid.
    const leftMs = Math.max(FENCE_MS, this.#validUntil - performance.now());
    const renewed = this.#renew(dueAt).catch((error: unknown) => {
      this.#options.log.debug({ err: error }, "the lease could not be renewed yet");
      return this.isValid();
    });
    return orWhenLate(leftMs, renewed, untilHeard);
  }

  async #renew(dueAt: number): Promise<boolean> {
    const { db, leaseMs } = this.#options;
    const id = this.#nodeId;
    const asked = readClocks();
    const renewed = await renewLease(db, { id, leaseMs, renewals: this.#renewals });
    if (renewed === null) return false;
    this.#hasOthers = renewed.hasOthers;
    this.#options.onOthers(renewed.hasOthers);
    // A response that arrives after the lease was lost belongs to the former node id.
    if (this.#validUntil === 0 || id !== this.#nodeId) return true;
    this.#note(renewed.primary);
    this.#extend(asked);
    this.#health.renewed({ dueAt, askedAt: asked.monotonicMs });
    return true;
  }

  async #replace(askedAt: number): Promise<void> {
    this.#validUntil = 0;
    const pauseMs = this.#health.lost({ nodeId: this.#nodeId, askedAt, hasOthers: this.#hasOthers });
    await this.#options.onLost();
    await this.#health.untilResponsive(this.#stop.signal);
    await this.#rest(pauseMs);
    while (!this.#stop.signal.aborted && !(await this.#regain())) await this.#rest(this.#intervalMs);
  }

  /** True if there is nothing more to try: the node has a lease, or its release is excluded. */
  async #regain(): Promise<boolean> {
    const { log } = this.#options;
    try {
      await this.#register();
      log.info({ nodeId: this.#nodeId }, "this node has a lease again");
      this.#options.onRegained();
      return true;
    } catch (error) {
      if (!(error instanceof ReleaseTooOldError)) {
        log.debug({ err: error }, "no lease yet");
        return false;
      }
      this.#stop.abort();
      this.#options.onTooOld(error);
      return true;
    }
  }
}
