import { eachWaiting, MAX_COUNTED } from "../../src/core/delivery/cursor/waiting.ts";

/** Counts what is left in the service's queues, as one row. */
export const LEFT = `select (select count(*) from send_jobs)::int as sends,
  (select count(*) from webhook_cursors c cross join ${eachWaiting("c", MAX_COUNTED)} w)::int as webhooks,
  (select count(*) from webhook_cursors where claim is not null)::int as claimed,
  (select count(*) from messages where status = 'queued')::int as queued`;

export const NOTHING_LEFT = { sends: 0, webhooks: 0, claimed: 0, queued: 0 };
