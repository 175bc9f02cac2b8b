import { type Queryable, sql } from "../../../database/database.ts";
import type { Scope } from "../../scope.ts";
import { restartSchedule, revokeCursors } from "../cursor/queues.ts";
import { addNotice } from "./notices.ts";

const PAUSE = sql(
  "webhook_endpoint_pause",
  `update webhook_endpoints set paused_at = now(), pause_reason = $3
   where account_id = $1 and id = $2 and paused_at is null returning id`,
);

/**
 * Pauses deliveries to a receiver; its events are kept. In the caller's transaction. False: it was already paused, or
 * does not exist.
 */
export async function pauseReceiver(
  tx: Queryable,
  { accountId, endpointId }: Scope & { readonly endpointId: string },
  reason: "failing" | "asked",
  notice: string,
): Promise<boolean> {
  if ((await tx.query(PAUSE, [accountId, endpointId, reason])).length === 0) return false;
  await revokeCursors(tx, { accountId, endpointId });
  await addNotice(tx, { accountId, endpointId, kind: "paused", text: notice });
  return true;
}

const RESUME = sql(
  "webhook_endpoint_resume",
  `update webhook_endpoints set paused_at = null, pause_reason = null, failing_since = null, failures = 0, noticed = 0
   where account_id = $1 and id = $2 and paused_at is not null returning id`,
);

/** Resumes deliveries, oldest events first, with a new schedule. False: it was not paused. */
export async function resumeReceiver(
  tx: Queryable,
  { accountId, endpointId }: Scope & { readonly endpointId: string },
): Promise<boolean> {
  if ((await tx.query(RESUME, [accountId, endpointId])).length === 0) return false;
  await restartSchedule(tx, { accountId, endpointId });
  const text = "Deliveries continue with the kept events.";
  await addNotice(tx, { accountId, endpointId, kind: "resumed", text });
  return true;
}
