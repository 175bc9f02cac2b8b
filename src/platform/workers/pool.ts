import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { monotonicMs } from "../clock.ts";
import { messageOf } from "../message-of.ts";
import { cpuMsOf } from "./cpu-time.ts";
import { createPeer, type ErrorCodec, type Peer } from "./peer.ts";
import { isStuck, type Silence } from "./silence.ts";

export interface PoolOptions {
  /** The worker's program; it must call `serveWorker`. */
  readonly entry: URL;
  /** The maximum number of tenants per process. */
  readonly perWorker: number;
  /** A process above this size accepts no further tenants, and its tenants are asked to move. */
  readonly maxRssBytes: number;
  /** Above this heap size the process ends by itself; only its own tenants are affected. */
  readonly maxHeapMegabytes: number;
  readonly errors: ErrorCodec;
  /**
   * Passed in addition to a fixed list of variables. No other variable of this process, such as its secrets, reaches
   * the workers.
   */
  readonly environment?: Readonly<Record<string, string>>;
  readonly timing?: PoolTiming;
}

export interface PoolTiming {
  readonly beatMs: number;
  /** A process that uses CPU for this long without a heartbeat is killed; see `isStuck`. */
  readonly silentMs: number;
  /** How long a process without tenants is kept for reuse. */
  readonly idleMs: number;
  /** The minimum age for recycling a large process: if a new one is as large, moving tenants does not help. */
  readonly minAgeMs: number;
}

/**
 * Tenants mostly wait, so a large young generation would only keep garbage from a restart. Measured with 40 WhatsApp
 * sessions: 143 MB instead of 215.
 */
const SMALL_YOUNG_GENERATION = "--max-semi-space-size=1";
/**
 * glibc settings for a program that mostly waits: few arenas, and separate mappings for large blocks, so that freed
 * memory is returned. By default glibc raises these thresholds after the first bursts. Measured with 60 WhatsApp
 * sessions: saves 17 MB. Other C libraries ignore the settings.
 */
const MALLOC_SETTINGS = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(64 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(64 * 1024),
};
const TIMING: PoolTiming = { beatMs: 500, silentMs: 10_000, idleMs: 10_000, minAgeMs: 60_000 };

/** Why a tenant has to leave: its process died or could not be started, or it is asked to move to another one. */
export type Eviction = "died" | "unstarted" | "recycled";

/** A tenant's slot in a process. */
export interface Slot {
  readonly peer: Peer;
  readonly pid: number;
  /** Handles the worker's calls for this tenant. */
  serve(handle: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>): void;
  /** Resolves once; `last` is the last output of a process that died, or why it could not be started. */
  readonly evicted: Promise<{ readonly why: Eviction; readonly last: string }>;
  release(): void;
}

interface Tenant {
  readonly id: string;
  handle: ((method: string, params: unknown, signal: AbortSignal) => Promise<unknown>) | null;
  evict(why: Eviction, last: string): void;
}

interface Worker {
  readonly child: ChildProcess;
  readonly peer: Peer & { receive(message: unknown): void };
  readonly tenants: Map<string, Tenant>;
  readonly capacity: number;
  isRetiring: boolean;
  stderrTail: string;
  heardAt: number;
  /** The CPU time at that moment; null if the system does not report it. */
  cpuMsAtHeartbeat: number | null;
  everHeard: boolean;
  readonly startedAt: number;
  idle: NodeJS.Timeout | undefined;
}

/**
 * Child processes that run several tenants each. A tenant that crashes its process is isolated step by step: each
 * time its process dies, its next process has fewer tenants, and finally it runs alone.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #timing: PoolTiming;
  readonly #workers = new Set<Worker>();
  #watch: NodeJS.Timeout | undefined;
  #watchedAt = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#timing = options.timing ?? TIMING;
  }

  /** The processes and their numbers of tenants, for tests and diagnostics. */
  usage(): { readonly pid: number; readonly tenants: number }[] {
    return [...this.#workers].map(({ child, tenants }) => ({ pid: child.pid ?? 0, tenants: tenants.size }));
  }

  /**
   * Places a tenant whose process died `deaths` times in a row. Some failures to start a process are thrown, others
   * evict the tenant.
   */
  take(tenantId: string, deaths: number): Slot {
    const capacity = Math.max(1, Math.floor(this.#options.perWorker / 4 ** deaths));
    const worker = this.#findRoom(capacity) ?? this.#start(capacity);
    clearTimeout(worker.idle);
    const { promise, resolve } = Promise.withResolvers<{ why: Eviction; last: string }>();
    const tenant: Tenant = {
      id: tenantId,
      handle: null,
      evict: (why, last) => resolve({ why, last }),
    };
    worker.tenants.set(tenantId, tenant);
    return {
      peer: worker.peer,
      pid: worker.child.pid ?? 0,
      serve(handle) {
        tenant.handle = handle;
      },
      evicted: promise,
      release: () => this.#leave(worker, tenant),
    };
  }

  /** Asks all tenants of a process to move to others; it ends after the last one has left. */
  recycle(pid: number): void {
    for (const worker of this.#workers) if (worker.child.pid === pid) this.#retire(worker);
  }

  #findRoom(capacity: number): Worker | undefined {
    return [...this.#workers].find(
      (worker) =>
        !worker.isRetiring &&
        worker.child.connected &&
        worker.capacity === capacity &&
        worker.tenants.size < capacity,
    );
  }

  #start(capacity: number): Worker {
    const child = fork(fileURLToPath(this.#options.entry), [], {
      execArgv: [`--max-old-space-size=${this.#options.maxHeapMegabytes}`, SMALL_YOUNG_GENERATION],
      env: { ...inherited(), ...MALLOC_SETTINGS, ...compileCache(), ...this.#options.environment },
      serialization: "advanced",
      // A library's output may contain keys, so only the end of stderr is kept.
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    const worker: Worker = {
      child,
      capacity,
      tenants: new Map(),
      isRetiring: false,
      stderrTail: "",
      heardAt: performance.now(),
      cpuMsAtHeartbeat: 0,
      everHeard: false,
      startedAt: performance.now(),
      idle: undefined,
      peer: createPeer({
        errors: this.#options.errors,
        post: (message) => void child.send(message as object, () => undefined),
        handle: (method, params, signal) => this.#handle(worker, method, params, signal),
      }),
    };
    child.on("message", (message) => worker.peer.receive(message));
    child.stderr?.on("data", (text: Buffer) => {
      worker.stderrTail = `${worker.stderrTail}${text}`.slice(-2_000);
    });
    child.on("error", (error) => {
      // A process that could not be started does not exit.
      if (child.pid === undefined) this.#end(worker, "unstarted", messageOf(error));
    });
    child.once("exit", () => this.#end(worker, "died", worker.stderrTail));
    // Workers end with this process, but do not keep it alive.
    child.unref();
    child.channel?.unref();
    (child.stderr as { unref?(): void } | null)?.unref?.();
    this.#workers.add(worker);
    this.#watchWorkers();
    return worker;
  }

  async #handle(worker: Worker, method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (method === "beat") {
      markHeard(worker, performance.now());
      worker.everHeard = true;
      const isYoung = worker.heardAt - worker.startedAt < this.#timing.minAgeMs;
      if (!isYoung && (params as { rss: number }).rss > this.#options.maxRssBytes) this.#retire(worker);
      return undefined;
    }
    const { tenant: id, ...rest } = params as { tenant: string };
    const tenant = worker.tenants.get(id);
    if (tenant?.handle == null) throw new Error("This tenant no longer exists");
    return tenant.handle(method, rest, signal);
  }

  #retire(worker: Worker): void {
    if (worker.isRetiring) return;
    worker.isRetiring = true;
    for (const tenant of worker.tenants.values()) tenant.evict("recycled", "");
    if (worker.tenants.size === 0) worker.child.kill("SIGKILL");
  }

  #leave(worker: Worker, tenant: Tenant): void {
    if (worker.tenants.get(tenant.id) === tenant) worker.tenants.delete(tenant.id);
    tenant.handle = null;
    if (worker.tenants.size > 0) return;
    const end = (): void => {
      // Until its end is noticed, nobody may enter.
      worker.isRetiring = true;
      worker.child.kill("SIGKILL");
    };
    if (worker.isRetiring) end();
    else worker.idle = setTimeout(end, this.#timing.idleMs).unref();
  }

  #end(worker: Worker, why: Eviction, last: string): void {
    clearTimeout(worker.idle);
    this.#workers.delete(worker);
    worker.peer.end();
    for (const tenant of worker.tenants.values()) tenant.evict(why, last);
    if (this.#workers.size === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    }
  }

  /** Sends heartbeats to the workers, and kills those that are stuck. */
  #watchWorkers(): void {
    this.#watchedAt = performance.now();
    this.#watch ??= setInterval(() => this.#checkWorkers(), this.#timing.beatMs).unref();
  }

  #checkWorkers(): void {
    const now = performance.now();
    const isLate = now - this.#watchedAt > this.#timing.beatMs * 4;
    this.#watchedAt = now;
    for (const worker of this.#workers) {
      // While this process was stalled, it could not receive heartbeats.
      if (isLate) markHeard(worker, now);
      if (isStuck(silenceOf(worker, now), this.#timing.silentMs)) worker.child.kill("SIGKILL");
      else worker.peer.notify("beat", { at: monotonicMs() });
    }
  }
}

function markHeard(worker: Worker, now: number): void {
  worker.heardAt = now;
  worker.cpuMsAtHeartbeat = cpuMsOf(worker.child.pid ?? 0);
}

function silenceOf(worker: Worker, now: number): Silence {
  const cpuMs = cpuMsOf(worker.child.pid ?? 0);
  const { heardAt, cpuMsAtHeartbeat: before, everHeard: hasSpoken } = worker;
  return {
    wallMs: now - heardAt,
    cpuMs: cpuMs === null || before === null ? null : cpuMs - before,
    everHeard: hasSpoken,
  };
}

/** The inherited environment variables: paths, language, proxies, additional certificate authorities. */
const INHERITED =
  /^(PATH|HOME|TMPDIR|TEMP|TMP|TZ|LANG|LC_.*|SystemRoot|NODE_ENV|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|NO|ALL)_PROXY)$/i;

function inherited(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => INHERITED.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? ""]));
}

/** Reuses the compile cache of an earlier worker, which saves time and memory. */
function compileCache(): Record<string, string> {
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
