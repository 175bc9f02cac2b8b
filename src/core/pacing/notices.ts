import { type Queryable, sql } from "../../database/database.ts";

/** A notice for the owner of a channel; kept for 30 days. */
export interface ChannelNotice {
  readonly at: Date;
  readonly kind: ChannelNoticeKind;
  readonly text: string;
}
/** `held`: a warning of the messenger; `released`: the cooldown was ended early; `used_up`: first contacts wait. */
type ChannelNoticeKind = "held" | "released" | "used_up";

interface NewNotice {
  readonly accountId: number;
  readonly channelId: string;
  readonly kind: ChannelNoticeKind;
  readonly text: string;
}

const ADD = sql(
  "channel_notice_add",
  "insert into channel_notices (account_id, channel_id, kind, text) values ($1, $2, $3, $4)",
);

export async function addChannelNotice(db: Queryable, notice: NewNotice): Promise<void> {
  await db.query(ADD, [notice.accountId, notice.channelId, notice.kind, notice.text]);
}

const ADD_DAILY = sql(
  "channel_notice_add_daily",
  `insert into channel_notices (account_id, channel_id, kind, text)
   select $1, $2, $3, $4 where not exists (
     select 1 from channel_notices n where n.account_id = $1 and n.channel_id = $2 and n.kind = $3
       and n.at > now() - interval '1 day')
   returning id`,
);

/** The same, unless there was one of its kind within a day. Returns whether it was added. */
export async function addChannelNoticeDaily(db: Queryable, notice: NewNotice): Promise<boolean> {
  const { accountId, channelId, kind, text } = notice;
  return (await db.query(ADD_DAILY, [accountId, channelId, kind, text])).length > 0;
}

const LIST = sql(
  "channel_notices_list",
  `select at, kind, text from channel_notices where account_id = $1 and channel_id = $2
   order by account_id, channel_id, id desc limit $3`,
);

/** Newest first. */
export function listChannelNotices(
  db: Queryable,
  { accountId, channelId }: { readonly accountId: number; readonly channelId: string },
  limit: number,
): Promise<ChannelNotice[]> {
  return db.query<ChannelNotice>(LIST, [accountId, channelId, limit]);
}
