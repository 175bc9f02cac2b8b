import { machineMs } from "../clock.ts";
import { releaseMemoryAfterBursts } from "../memory.ts";
import { createPeer, type ErrorCodec, type Peer } from "./peer.ts";

const BEAT_MS = 1_000;
/**
 * Small buffers are cut from common blocks, 64 KB each as Node comes, and a key of 32 bytes that is kept keeps its
 * whole block.
 */
const POOL_BYTES = 2_048;
/** A parent that was not heard for so long may be frozen: whatever it owned may belong to others. */
const PARENT_SILENT_MS = 2_000;
/** A request that was longer on its way than this comes from a past that may be over. */
const STALE_MS = 2_000;

export interface WorkerHost {
  readonly peer: Peer;
  /** The parent was heard a moment ago. */
  isParentAlive(): boolean;
}

/**
 * The worker's side of a pool: signs of life both ways, calls both ways, and an end with the parent. Call it once, at
 * the start of the program.
 */
export function serveWorker(options: {
  readonly errors: ErrorCodec;
  handle(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
}): WorkerHost {
  let parentAt = machineMs();
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
  // A Ctrl-C in the terminal reaches the whole group; the parent decides when this ends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  // Promises that a library forgot must not take its neighbours down.
  process.on("unhandledRejection", () => undefined);
  const beat = (): void => peer.tell("beat", { rss: process.memoryUsage.rss() });
  setInterval(beat, BEAT_MS);
  beat();
  Buffer.poolSize = POOL_BYTES;
  releaseMemoryAfterBursts();
  return { peer, isParentAlive: () => machineMs() - parentAt < PARENT_SILENT_MS };
}

/** Whether a request of then, by `machineMs`, waited too long in the line between the processes: one of them was frozen. */
export function isStale(at: number): boolean {
  return machineMs() - at > STALE_MS;
}
