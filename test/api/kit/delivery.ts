import { PrimaryMemory } from "../../../src/core/primary-memory.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createGuardedDispatcher } from "../../../src/platform/network/safe-fetch.ts";
import { Dispatcher, type DispatcherOptions } from "../../../src/work/delivery/dispatcher.ts";
import { Replayer } from "../../../src/work/delivery/replayer.ts";
import { createSinkPoster } from "../../../src/work/delivery/sink-poster.ts";
import type { Lease } from "../../../src/work/lease.ts";
import type { TestNode } from "./service.ts";

const PUMP_EVERY_MS = 20;

const PATIENCE_MS = 20_000;

/**
 * How long a receiver of these tests may take to answer, where a test says so: for those requests alone that nobody
 * answers. On a busy machine any answer may be late, and what is posted twice is another case.
 */
export const answers: { limitMs: number | undefined } = { limitMs: undefined };

/** Delivers a node's webhooks, and replays; repeats what failed after 30 ms. Resolves with what ends it. */
export async function startDelivery(
  { core, db }: TestNode,
  options: Partial<DispatcherOptions> = {},
): Promise<() => Promise<void>> {
  const lease = await leaseForAnHour(db);
  const guarded = createGuardedDispatcher({ allowNetworks: core.settings.allowNetworks });
  const sink = createSinkPoster(core, { broker: null });
  const dispatcher = new Dispatcher({
    core,
    sink,
    lease: () => lease,
    dispatcher: guarded,
    schedule: { delaysMs: [30], lifetimeMs: 3 * 86_400_000 },
    get timeoutMs() {
      return answers.limitMs ?? PATIENCE_MS;
    },
    maxItems: 500,
    maxBytes: 1_000_000,
    pauseAfterMs: 3 * 86_400_000,
    ...options,
  });
  const replayer = new Replayer({
    core,
    sink,
    lease: () => lease,
    dispatcher: guarded,
    timeoutMs: PATIENCE_MS,
  });
  dispatcher.start();
  replayer.start();
  const timer = setInterval(() => dispatcher.poll(), PUMP_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all([dispatcher.stop(), replayer.stop()]);
    await guarded.destroy();
  };
}

/** A node with a lease that outlasts any test. */
export async function leaseForAnHour(db: TestNode["db"]): Promise<Lease> {
  const nodeId = newId();
  await db.query(
    "insert into nodes (id, name, roles, lease_until) values ($1, 'test', '{delivery}', now() + interval '1 hour')",
    [nodeId],
  );
  return {
    nodeId,
    isValid: () => true,
    concurrency: 1,
    primary: new PrimaryMemory(),
    release: () => Promise.resolve(),
  };
}
