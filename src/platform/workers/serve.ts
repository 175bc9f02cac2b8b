import { monotonicMs } from "../clock.ts";
import { unlessOutOfDescriptors } from "../file/descriptors.ts";
import { releaseMemoryAfterBursts } from "../memory.ts";
import { createPeer, type ErrorCodec, type Peer } from "./peer.ts";

const BEAT_MS = 1_000;
/**
 * The size of the blocks that small buffers share. With Node's default of 64 KB, a retained key of 32 bytes would
 * keep its whole block.
 */
const POOL_BYTES = 2_048;
/** A parent without a heartbeat for this long may be frozen; other nodes may have taken over its channels. */
const PARENT_SILENT_MS = 2_000;
/** A request that was in transit for longer than this may be obsolete. */
const STALE_MS = 2_000;

export interface WorkerHost {
  readonly peer: Peer;
  /** Whether a heartbeat of the parent was received recently. */
  isParentAlive(): boolean;
}

/**
 * The worker's side of a pool: heartbeats and calls in both directions; exits with the parent. Call once, at the
 * start of the program.
 */
export function serveWorker(options: {
  readonly errors: ErrorCodec;
  handle(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
}): WorkerHost {
  let parentAt = monotonicMs();
  const peer = createPeer({
    errors: options.errors,
    post: (message) => void process.send?.(message as object, undefined, undefined, () => undefined),
    async handle(method, params, signal) {
      if (method !== "beat") return options.handle(method, params, signal);
      parentAt = (params as { at: number }).at;
      return undefined;
    },
  });
  process.on("message", (message) => peer.receive(message));
  process.on("disconnect", () => process.exit(0));
  // Ctrl-C in a terminal is sent to the whole process group; the parent decides when the worker ends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  // An unhandled rejection in a library must not end the other tenants.
  process.on("unhandledRejection", () => undefined);
  silenceConsole();
  let rss = 0;
  const beat = (): void => {
    rss = unlessOutOfDescriptors(process.memoryUsage.rss) ?? rss;
    peer.notify("beat", { rss });
  };
  setInterval(beat, BEAT_MS);
  beat();
  Buffer.poolSize = POOL_BYTES;
  releaseMemoryAfterBursts();
  return { peer, isParentAlive: () => monotonicMs() - parentAt < PARENT_SILENT_MS };
}

/**
 * Libraries print secrets: libsignal prints whole sessions with their private keys, and the end of stderr is logged when
 * the process dies. Node itself writes what ended it.
 */
function silenceConsole(): void {
  for (const method of ["debug", "error", "info", "log", "trace", "warn"] as const)
    console[method] = () => undefined;
}

/**
 * Whether a request sent at this time (`monotonicMs`) was in transit for too long because one of the processes was
 * frozen.
 */
export function isStale(at: number): boolean {
  return monotonicMs() - at > STALE_MS;
}
