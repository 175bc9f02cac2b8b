import { type Queryable, sql } from "../../../database/database.ts";
import type { Scope } from "../../scope.ts";

/** A notice for the owner of a receiver; kept for 30 days. */
export interface Notice {
  readonly at: Date;
  readonly kind: NoticeKind;
  readonly text: string;
}
export type NoticeKind = "failing" | "paused" | "resumed" | "recovered" | "refused" | "parked";

const ADD = sql(
  "webhook_notice_add",
  "insert into webhook_notices (account_id, endpoint_id, kind, text) values ($1, $2, $3, $4)",
);

export interface NewNotice extends Scope {
  readonly endpointId: string;
  readonly kind: NoticeKind;
  readonly text: string;
}

export async function addNotice(
  db: Queryable,
  { accountId, endpointId, kind, text }: NewNotice,
): Promise<void> {
  await db.query(ADD, [accountId, endpointId, kind, text]);
}

const ADD_SELDOM = sql(
  "webhook_notice_add_seldom",
  `insert into webhook_notices (account_id, endpoint_id, kind, text)
   select $1, $2, $3, $4 where not exists (
     select 1 from webhook_notices n where n.account_id = $1 and n.endpoint_id = $2 and n.kind = $3
       and n.at > now() - interval '1 hour')`,
);

/** Adds a notice unless there was one of its kind within the last hour: for what may happen thousands of times. */
export async function addNoticeThrottled(
  db: Queryable,
  { accountId, endpointId, kind, text }: NewNotice,
): Promise<void> {
  await db.query(ADD_SELDOM, [accountId, endpointId, kind, text]);
}

const LIST = sql(
  "webhook_notices_list",
  `select at, kind, text from webhook_notices where account_id = $1 and endpoint_id = $2
   order by account_id, endpoint_id, id desc limit $3`,
);

/** Newest first. */
export function listNotices(
  db: Queryable,
  { accountId }: Scope,
  { endpointId, limit }: { readonly endpointId: string; readonly limit: number },
): Promise<Notice[]> {
  return db.query<Notice>(LIST, [accountId, endpointId, limit]);
}
