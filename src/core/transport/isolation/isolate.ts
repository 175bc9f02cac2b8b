import { setTimeout as sleep } from "node:timers/promises";
import { type PoolTiming, WorkerPool } from "../../../platform/workers/pool.ts";
import type { ChannelLink, LinkOf, Session, TransportConnector } from "../connector.ts";
import type { SettingsOf, TransportDefinition } from "../definition.ts";
import { TransportError } from "../errors.ts";
import { errorCodec } from "./errors.ts";
import { openRemoteSession } from "./remote-session.ts";

const LOGOUT_AGAIN_MS = 250;

export interface IsolationOptions<Settings> {
  /** The program of a worker, which calls `serveSessions`. */
  readonly entry: URL;
  readonly sessionsPerWorker: number;
  readonly maxRssBytes: number;
  readonly maxHeapMegabytes: number;
  readonly timing?: PoolTiming;
  /** What the operator's settings add to the workers' environment. */
  environment?(settings: Settings): Readonly<Record<string, string>>;
}

/**
 * A connector whose sessions run in worker processes, several in each. Core sees no difference: emits resolve when
 * stored, and a worker that dies, hangs or grows is replaced transparently for its sessions. Use it if a session runs
 * foreign code for years.
 */
export function isolate<D extends TransportDefinition>(
  definition: D,
  options: IsolationOptions<SettingsOf<D>>,
): TransportConnector<D> & { usage(): ReturnType<WorkerPool["usage"]>; recycle(pid: number): void } {
  const pools = new Map<string, WorkerPool>();
  /** Settings of the whole worker process must be the same for all its sessions. */
  function poolFor(settings: SettingsOf<D>): WorkerPool {
    const key = JSON.stringify(settings);
    const known = pools.get(key);
    if (known !== undefined) return known;
    const { entry, sessionsPerWorker: perWorker, maxRssBytes, maxHeapMegabytes, timing } = options;
    const limits = { perWorker, maxRssBytes, maxHeapMegabytes, ...(timing === undefined ? {} : { timing }) };
    const environment = options.environment?.(settings) ?? {};
    const pool = new WorkerPool({ entry, environment, errors: errorCodec, ...limits });
    pools.set(key, pool);
    return pool;
  }
  return {
    async open(link: LinkOf<D>): Promise<Session> {
      return openRemoteSession(definition, poolFor(link.settings), link as ChannelLink);
    },
    async leave(link: LinkOf<D>): Promise<void> {
      const session = openRemoteSession(definition, poolFor(link.settings), link as ChannelLink);
      await logOut(session, link.signal).finally(() => session.close());
    },
    usage: () => [...pools.values()].flatMap((pool) => pool.usage()),
    recycle: (pid) => {
      for (const pool of pools.values()) pool.recycle(pid);
    },
  };
}

/** Opening a session in a process and connecting it takes a while. */
async function logOut(session: Session, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await session.logout?.();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof TransportError) || error.retry !== "later") throw error;
      await sleep(LOGOUT_AGAIN_MS, undefined, { signal });
    }
  }
}
