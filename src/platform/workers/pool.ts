import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { machineMs } from "../clock.ts";
import { cpuMsOf } from "./cpu-time.ts";
import { createPeer, type ErrorCodec, type Peer } from "./peer.ts";
import { isStuck, type Silence } from "./silence.ts";

export interface PoolOptions {
  /** The program of a worker; it calls `serveWorker`. */
  readonly entry: URL;
  /** Tenants of one process. */
  readonly perWorker: number;
  /** A process above it takes no more tenants, and those it has are asked to move. */
  readonly maxRssBytes: number;
  /** Beyond it the process ends by itself, and with it only its own tenants. */
  readonly maxHeapMegabytes: number;
  readonly errors: ErrorCodec;
  /** On top of what every program needs; nothing else of this process's own gets there, such as its secrets. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly timing?: PoolTiming;
}

export interface PoolTiming {
  readonly beatMs: number;
  /** A process that works for so long without a sign of life is ended; see `isStuck`. */
  readonly silentMs: number;
  /** How long a process without tenants is kept for the next one. */
  readonly idleMs: number;
  /** A process is not called too large before it is so old: where a fresh one is, moving would help nobody. */
  readonly youthMs: number;
}

/**
 * Tenants mostly wait, so a large space for young objects would only fill with what a restart left. Measured with 40
 * WhatsApp sessions: 143 MB instead of 215.
 */
const SMALL_NURSERY = "--max-semi-space-size=1";
/**
 * How glibc holds memory for a program that mostly waits: few arenas, and what is large lies apart, so that it goes back
 * when it is freed. By itself it learns from the first bursts to keep ever larger pieces. Measured with 60 WhatsApp
 * sessions: 17 MB. Other C libraries do not read it.
 */
const FRUGAL_MALLOC = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(64 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(64 * 1024),
};
const TIMING: PoolTiming = { beatMs: 500, silentMs: 10_000, idleMs: 10_000, youthMs: 60_000 };

/** Why a tenant has to leave: its process ended, or it is asked to move to another. */
export type Eviction = "died" | "recycled";

/** A tenant's place in a process. */
export interface Place {
  readonly peer: Peer;
  readonly pid: number;
  /** What the worker asks of this tenant arrives here. */
  serve(handle: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>): void;
  /** Resolves once; `last` holds the last words of a process that died. */
  readonly evicted: Promise<{ readonly why: Eviction; readonly last: string }>;
  leave(): void;
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
  lastWords: string;
  heardAt: number;
  /** How long it had had the processor then; null where the system does not tell. */
  cpuMsWhenHeard: number | null;
  hasSpoken: boolean;
  readonly startedAt: number;
  idle: NodeJS.Timeout | undefined;
}

/**
 * Child processes with several tenants each. A tenant that takes its process down is set apart step by step: each time
 * that its process dies under it, it shares the next one with fewer others, and alone in the end.
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

  /** Process ids and how many tenants each has, for tests and diagnostics. */
  usage(): { readonly pid: number; readonly tenants: number }[] {
    return [...this.#workers].map(({ child, tenants }) => ({ pid: child.pid ?? 0, tenants: tenants.size }));
  }

  /** A place for a tenant whose process died `deaths` times in a row. */
  take(tenantId: string, deaths: number): Place {
    const capacity = Math.max(1, Math.floor(this.#options.perWorker / 4 ** deaths));
    const worker = this.#roomFor(capacity) ?? this.#start(capacity);
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
      leave: () => this.#leave(worker, tenant),
    };
  }

  /** Asks all tenants of a process to move to others; it ends when the last is gone. */
  recycle(pid: number): void {
    for (const worker of this.#workers) if (worker.child.pid === pid) this.#retire(worker);
  }

  #roomFor(capacity: number): Worker | undefined {
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
      execArgv: [`--max-old-space-size=${this.#options.maxHeapMegabytes}`, SMALL_NURSERY],
      env: { ...inherited(), ...FRUGAL_MALLOC, ...compileCache(), ...this.#options.environment },
      serialization: "advanced",
      // What a library prints may hold keys; only last words are kept.
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    const worker: Worker = {
      child,
      capacity,
      tenants: new Map(),
      isRetiring: false,
      lastWords: "",
      heardAt: performance.now(),
      cpuMsWhenHeard: 0,
      hasSpoken: false,
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
      worker.lastWords = `${worker.lastWords}${text}`.slice(-2_000);
    });
    child.on("error", () => undefined);
    child.once("exit", () => this.#end(worker));
    // Workers end with this process; they do not keep it.
    child.unref();
    child.channel?.unref();
    (child.stderr as { unref?(): void } | null)?.unref?.();
    this.#workers.add(worker);
    this.#watchWorkers();
    return worker;
  }

  async #handle(worker: Worker, method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (method === "beat") {
      hear(worker, performance.now());
      worker.hasSpoken = true;
      const isYoung = worker.heardAt - worker.startedAt < this.#timing.youthMs;
      if (!isYoung && (params as { rss: number }).rss > this.#options.maxRssBytes) this.#retire(worker);
      return undefined;
    }
    const { tenant: id, ...rest } = params as { tenant: string };
    const tenant = worker.tenants.get(id);
    if (tenant?.handle == null) throw new Error("There is no such tenant any more");
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
    const end = (): void => void worker.child.kill("SIGKILL");
    if (worker.isRetiring) end();
    else worker.idle = setTimeout(end, this.#timing.idleMs).unref();
  }

  #end(worker: Worker): void {
    clearTimeout(worker.idle);
    this.#workers.delete(worker);
    worker.peer.end();
    for (const tenant of worker.tenants.values()) tenant.evict("died", worker.lastWords);
    if (this.#workers.size === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    }
  }

  /** Tells the workers that this process lives, and ends those that do not. */
  #watchWorkers(): void {
    this.#watchedAt = performance.now();
    this.#watch ??= setInterval(() => this.#look(), this.#timing.beatMs).unref();
  }

  #look(): void {
    const now = performance.now();
    const isLate = now - this.#watchedAt > this.#timing.beatMs * 4;
    this.#watchedAt = now;
    for (const worker of this.#workers) {
      // While this process was held up, nobody could be heard.
      if (isLate) hear(worker, now);
      if (isStuck(silenceOf(worker, now), this.#timing.silentMs)) worker.child.kill("SIGKILL");
      else worker.peer.tell("beat", { at: machineMs() });
    }
  }
}

function hear(worker: Worker, now: number): void {
  worker.heardAt = now;
  worker.cpuMsWhenHeard = cpuMsOf(worker.child.pid ?? 0);
}

function silenceOf(worker: Worker, now: number): Silence {
  const cpuMs = cpuMsOf(worker.child.pid ?? 0);
  const { heardAt, cpuMsWhenHeard: before, hasSpoken } = worker;
  return {
    wallMs: now - heardAt,
    cpuMs: cpuMs === null || before === null ? null : cpuMs - before,
    hasSpoken,
  };
}

/** What a program needs of its surroundings: paths, language, proxies, further authorities. */
const INHERITED =
  /^(PATH|HOME|TMPDIR|TEMP|TMP|TZ|LANG|LC_.*|SystemRoot|NODE_ENV|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|NO|ALL)_PROXY)$/i;

function inherited(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => INHERITED.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? ""]));
}

/** What a worker compiled at its last start need not be compiled again, and the memory that this takes is saved. */
function compileCache(): Record<string, string> {
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
