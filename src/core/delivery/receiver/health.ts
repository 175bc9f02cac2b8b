import { type Queryable, sql } from "../../../database/database.ts";
import type { Base } from "../../base.ts";
import type { Scope } from "../../scope.ts";
import { addNotice } from "./notices.ts";
import { pauseReceiver } from "./pause.ts";

/** Percentages of the time until a receiver's pause at which its owner is notified. */
const NOTICES = [1, 10, 25, 50, 75, 90];

/**
 * What to do about a receiver that has accepted nothing for `failingMs`: notify, pause, or nothing yet. `noticed` is
 * the last percentage that was notified. Pure.
 */
export function healthStep(
  failingMs: number,
  pauseAfterMs: number,
  noticed: number,
): { readonly notice: number } | "pause" | null {
  const percent = (failingMs / pauseAfterMs) * 100;
  if (percent >= 100) return "pause";
  const reached = NOTICES.findLast((step) => step <= percent) ?? 0;
  return reached > noticed ? { notice: reached } : null;
}

const FAILED = sql(
  "webhook_endpoint_failed",
  `update webhook_endpoints set failing_since = coalesce(failing_since, now()), failures = failures + 1
   where account_id = $1 and id = $2 and paused_at is null
   returning failures, noticed, failing_since, extract(epoch from now() - failing_since)::float8 * 1000 as failing_ms`,
);
const NOTICED = sql(
  "webhook_endpoint_noticed",
  "update webhook_endpoints set noticed = $3 where account_id = $1 and id = $2",
);

interface FailedRow {
  readonly failures: number;
  readonly noticed: number;
  readonly failing_since: Date;
  readonly failing_ms: number;
}

export interface Failure extends Scope {
  readonly endpointId: string;
  /** The last response, or why there was none. */
  readonly reason: string;
}

/**
 * Records that the receiver accepted nothing and rests: its owner is notified at intervals, and after `pauseAfterMs`
 * it is paused.
 */
export async function receiverFailed(core: Base, failure: Failure, pauseAfterMs: number): Promise<void> {
  const { accountId, endpointId, reason } = failure;
  const [row] = await core.db.query<FailedRow>(FAILED, [accountId, endpointId]);
  const step = row === undefined ? null : healthStep(row.failing_ms, pauseAfterMs, row.noticed);
  if (row === undefined || step === null) return;
  const since = `since ${row.failing_since.toISOString()} (${row.failures} failures in a row): ${reason}`;
  if (step === "pause") {
    core.log.warn({ accountId, endpointId, reason }, "a receiver failed for so long that it is paused");
    await core.db.tx((tx) =>
      pauseReceiver(
        tx,
        failure,
        "failing",
        `Nothing was accepted ${since}. All events are kept until it is resumed.`,
      ),
    );
    return;
  }
  const { notice } = step;
  const text = `Nothing was accepted ${since}. ${notice} % of the time until it is paused have passed.`;
  core.log.warn({ accountId, endpointId, reason, percent: notice }, "a receiver keeps failing");
  await core.db.tx(async (tx) => {
    await tx.query(NOTICED, [accountId, endpointId, notice]);
    await addNotice(tx, { accountId, endpointId, kind: "failing", text });
  });
}

const RECOVERED = sql(
  "webhook_endpoint_recovered",
  `update webhook_endpoints e set failing_since = null, failures = 0, noticed = 0
   from (select noticed from webhook_endpoints where account_id = $1 and id = $2) before
   where account_id = $1 and id = $2 and failing_since is not null returning before.noticed`,
);

/** Records that the receiver accepts requests again. Its owner is notified only if the failures were. */
export async function receiverRecovered(
  db: Queryable,
  { accountId, endpointId }: Pick<Failure, "accountId" | "endpointId">,
): Promise<void> {
  const [row] = await db.query<{ noticed: number }>(RECOVERED, [accountId, endpointId]);
  if (row === undefined || row.noticed === 0) return;
  const text = "The receiver accepts webhooks again; waiting events follow in order.";
  await addNotice(db, { accountId, endpointId, kind: "recovered", text });
}
