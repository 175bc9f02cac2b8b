import { setTimeout as sleep } from "node:timers/promises";
import { backOffMs } from "../../queue/back-off.ts";
import { type ExitHealth, exitHealth, healthKey, isWatched, type Target, watchExit } from "./exit-health.ts";
import { type ProxyRoute, proxyOf } from "./proxy.ts";
import { openToProxy, openTunnel } from "./tunnel.ts";

const PAUSES = { firstMs: 1_000, longestMs: 30_000 };
const probing = new Set<string>();

/** A shorter failure is not reported: all channels of the exit would change their state twice. */
const GRACE_MS = 3_000;

/**
 * Calls the listener when the exit has not worked for some seconds, at once if it does not work now, and when it works
 * again. Meanwhile it is probed with the last target, since an idle channel makes no attempts. Returns a function that
 * ends this.
 */
export function followExit(route: ProxyRoute, listener: (health: ExitHealth) => void): () => void {
  let isReported = false;
  let timer: NodeJS.Timeout | undefined;
  const report = (): void => {
    const health = exitHealth(route);
    const isFailing = health.failure !== null;
    if (isFailing === isReported) return;
    isReported = isFailing;
    listener(health);
  };
  const stop = watchExit(route, ({ failure }, target) => {
    clearTimeout(timer);
    if (failure === null) return report();
    timer = setTimeout(report, GRACE_MS).unref();
    void probe(route, target);
  });
  report();
  return () => {
    clearTimeout(timer);
    stop();
  };
}

async function probe(route: ProxyRoute, target: Target): Promise<void> {
  const key = healthKey(route);
  if (probing.has(key)) return;
  probing.add(key);
  try {
    for (let failures = 1; ; failures += 1) {
      await sleep(backOffMs(failures, PAUSES), undefined, { ref: false });
      if (exitHealth(route).failure === null || !isWatched(route)) return;
      await attempt(route, target).catch(() => undefined);
    }
  } finally {
    probing.delete(key);
  }
}

/** Its result is reported by the tunnel. */
async function attempt(route: ProxyRoute, target: Target): Promise<void> {
  const isSpokenTo = proxyOf(route.url).scheme === "mtproxy";
  const socket = isSpokenTo ? await openToProxy(route) : await openTunnel(route, target);
  socket.destroy();
}
