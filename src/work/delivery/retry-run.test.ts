import { expect, test } from "vitest";
import type { Core } from "../../core/core.ts";
import type { Cursor } from "../../core/delivery/cursor/cursors.ts";
import type { Statement } from "../../database/database.ts";
import type { BatchPoster } from "./poster.ts";
import { RetryRun } from "./retry-run.ts";
import type { Surroundings } from "./run.ts";

const cursor = {
  accountId: 1,
  endpointId: "e",
  id: "c",
  nodeId: "n",
  version: "7",
  url: "http://x/",
} as Cursor;
const answer = { status: 200, failure: null, retryAfterMs: null };

/** Events 1 and 2 are due, each of another chat. `onTx` runs in place of the transaction of each outcome. */
function retries(onTx: (event: number) => Promise<void>, around: Partial<Surroundings> = {}) {
  const posted: number[] = [];
  const settled = new Set<number>();
  let next = 0;
  const query = async ({ name }: Statement, values: readonly unknown[] = []) => {
    if (name === "webhook_cursor_version") return [{ version: "7" }];
    if (name !== "webhook_retries_due") return [];
    const underWay = values[2] as readonly number[];
    return [1, 2].filter((id) => !settled.has(id) && !underWay.includes(id)).map(retryOf);
  };
  const tx = async () => {
    const event = posted[next++] ?? 0;
    await onTx(event);
    settled.add(event);
  };
  const poster = {
    post: async (_: unknown, batch: { readonly events: readonly { readonly id: number }[] }) => {
      posted.push(...batch.events.map(({ id }) => id));
      return [{ batch, answer, attempt: {}, text: null }];
    },
  } as unknown as BatchPoster;
  const core = { db: { query, tx }, clock: { monotonicMs: () => performance.now() } } as unknown as Core;
  const lease = () => ({ nodeId: "n", isValid: () => true }) as never;
  const schedule = { delaysMs: [0], lifetimeMs: 60_000 };
  const limits = { maxItems: 1, maxBytes: 1_000, pauseAfterMs: 60_000 };
  const run = new RetryRun({ core, poster, lease, schedule, ...limits }, cursor, {
    isStopping: () => false,
    share: () => 1_000,
    mayStay: () => true,
    isUnderLoad: () => false,
    readWithinLimit: (read) => read(),
    ...around,
  });
  return { run, posted };
}

const retryOf = (id: number) => ({
  id,
  kind: "messages",
  chat: `${id}`,
  body: "{}",
  attempts: 1,
  failingMs: 1,
});

test("an outcome that cannot be stored ends the claim, also while the next events are looked for", async () => {
  const looked = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<void>();
  let looks = 0;
  const { run, posted } = retries(
    async (event) => {
      if (event === 1) return;
      await looked.promise;
      setImmediate(failed.resolve);
      throw new Error("not stored");
    },
    {
      readWithinLimit: async (read) => {
        if (looks++ > 0) {
          looked.resolve();
          await failed.promise;
        }
        return read();
      },
    },
  );
  await expect(run.work()).rejects.toThrow("not stored");
  expect(posted).toEqual([1, 2]);
});
