import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { findChats, type NamedChat } from "../chat/named-chat.ts";
import { AppError } from "../errors.ts";
import { jsonValue } from "../json-rows.ts";
import type { Scope } from "../scope.ts";
import { notifySends } from "../signals.ts";
import type { MarkedMessage } from "../transport/connector.ts";
import type { ChatMark } from "../transport/definition.ts";
import { definitionOf } from "../transport/registry.ts";
import { findChangeable, runChange } from "./change.ts";

const NEWEST = sql(
  "mark_newest_message",
  `select id from messages where account_id = $1 and chat = $2 order by created_at desc, id desc limit 1`,
);

/**
 * Marks a chat's messages as read in the messenger, or shows that somebody is typing, and waits for the messenger's
 * response. Without a channel, exactly one must have the chat. Throws AppError if there is no such chat, or if the
 * transport or the messenger rejects it.
 */
export async function markChat(core: Base, scope: Scope, named: NamedChat, mark: ChatMark): Promise<void> {
  const [chat, ...others] = await findChats(core, scope, named);
  if (chat === undefined) throw new AppError("CHAT_NOT_FOUND");
  if (others.length > 0)
    throw new AppError("VALIDATION_ERROR", {
      data: { fields: [{ field: "channel_id", message: "is required: several channels have this chat" }] },
    });
  const message = await findMarkable(core, scope, chat, mark);
  await runChange(core, scope, message, { kind: "mark", change: { mark } });
}

/** The newest message of the chat, if the chat can be marked so now. */
async function findMarkable(core: Base, scope: Scope, chat: string, mark: ChatMark) {
  const [newest] = await core.db.query<{ id: string }>(NEWEST, [scope.accountId, chat]);
  if (newest === undefined) throw new AppError("CHAT_NOT_FOUND");
  const message = await findChangeable(core, scope, newest.id);
  const { capabilities } = definitionOf(core.transports, message.transport);
  if (capabilities.marks?.includes(mark) !== true) throw new AppError("CHANNEL_INVALID_TRANSPORT");
  return message;
}

/** A queued mark that could not be shown until then is dropped: it would tell of the past. */
const QUEUED_MARK_MS = 10_000;

// A mark that still waits shows what this one would.
const QUEUE = sql(
  "mark_queue",
  `insert into send_jobs (account_id, channel_id, chat, message_id, kind, change, bytes)
   select $1, $2, $3, $4, 'mark', $5::jsonb, pg_column_size($5::jsonb)
   where not exists (
     select 1 from send_jobs
     where account_id = $1 and channel_id = $2 and chat = $3 and kind = 'mark' and unsure_since is null
       and change ->> 'mark' = $5::jsonb ->> 'mark')`,
);

/**
 * Queues a mark of a chat, by our id, and does not wait for the messenger. Throws AppError if there is no such chat, or
 * if the transport or the state of the channel rejects it.
 */
export async function queueMark(core: Base, scope: Scope, chat: string, mark: ChatMark): Promise<void> {
  const { channel_id: channelId, id } = await findMarkable(core, scope, chat, mark);
  const until = new Date(core.clock.now().getTime() + QUEUED_MARK_MS).toISOString();
  await core.db.query(QUEUE, [scope.accountId, channelId, chat, id, jsonValue({ mark, until })]);
  notifySends(core.signals, [{ channelId, chat }]);
}

/** Messages of the chat that are looked at. */
const MAX_SCANNED = 200;
/** Messages that are marked as read one by one, where the messenger does not know the order. */
const MAX_MARKED = 50;

const INBOUND = sql(
  "mark_inbound_messages",
  `select m.external_id as "externalId", m.sender ->> 'id' as "senderId", m.sent_at as "sentAt"
   from (select * from messages where account_id = $1 and chat = $2
         order by created_at desc, id desc limit ${MAX_SCANNED}) m
   where m.direction = 'in' and m.external_id is not null and m.deleted_at is null
   order by m.created_at desc, m.id desc limit ${MAX_MARKED}`,
);

/** The newest messages of the people in a chat, newest first. */
export async function newestInbound(
  db: Queryable,
  { accountId, chat }: { readonly accountId: number; readonly chat: string },
): Promise<MarkedMessage[]> {
  const rows = await db.query<{ externalId: string; senderId: string | null; sentAt: Date }>(INBOUND, [
    accountId,
    chat,
  ]);
  return rows.map(({ senderId, ...row }) => (senderId === null ? row : { ...row, senderId }));
}
