import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { type HasChats, resolveChats } from "../chat/chats.ts";
import { jsonRows } from "../json-rows.ts";
import { MESSAGE_INPUT } from "../message/message-row.ts";
import { type InsertedRow, insertPlaced, type MessageRow, MISPLACED } from "../message/placement.ts";
import { queueForSearch } from "../message/search-index.ts";
import type { Scope } from "../scope.ts";
import type { ChatType } from "../transport/definition.ts";
import type { MessageStatus, MessageType } from "../transport/message.ts";
import { PLACE_CHATS, STORE_CHATS } from "./history-chats.ts";

/** A message of a dump of another service, which does not know the messenger's id of it. */
export interface DumpedMessage {
  /** Ours, the same whenever the message is imported; starts with its time. */
  readonly id: string;
  readonly channelId: string;
  readonly chatType: ChatType;
  /** In normal form. */
  readonly chatId: string;
  readonly name: string;
  readonly username: string | null;
  readonly phone: string | null;
  readonly isInbound: boolean;
  readonly type: MessageType;
  readonly status: MessageStatus;
  readonly text: string | null;
  /** Where the file is. */
  readonly contentUri: string | null;
  readonly authorName: string | null;
  readonly isEdited: boolean;
  readonly isDeleted: boolean;
  readonly sentAt: Date;
  /** Its place among the messages of its chat with the same time, in microseconds. */
  readonly place: number;
  /** Whether the channel was ever linked, so that the message may have come from the messenger as well. */
  readonly mayBeKnown: boolean;
}

// What the messenger itself has reported is recognised by its time to the second, its side and its content. It was stored
// within minutes of its time, or as history under its time.
const REPORTED = `exists (
  select 1 from messages m
  where m.account_id = any(array[i.account_id]) and m.chat = any(array[i.chat])
    and m.created_at between i.sent_at - interval '2 seconds' and i.sent_at + interval '10 minutes'
    and m.external_id is not null and (m.direction = 'in') = (i.direction = 'in')
    and m.sent_at > i.sent_at - interval '1 second' and m.sent_at < i.sent_at + interval '1 second'
    and m.text is not distinct from i.text and (i.text is not null or m.type = i.type))`;

// As `history_store`: nothing becomes unanswered, and nothing is published.
const INSERT = sql(
  "dump_store",
  `with input as materialized (
     select row_number() over () as ord, r.* from json_to_recordset($1::json) as r(
       ${MESSAGE_INPUT}, author_name text, error jsonb, place integer, is_edited boolean, is_deleted boolean,
       may_be_known boolean)
   ), ${STORE_CHATS}, added as (
     insert into messages (account_id, id, channel_id, chat, direction, type, status, text, content, author_name, error,
                           sent_at, created_at, edited_at, deleted_at)
     select account_id, id, channel_id, chat, direction, type, status, text, content, author_name, error, sent_at,
            sent_at + place * interval '1 microsecond', case when is_edited then sent_at end,
            case when is_deleted then sent_at end
     from input i where i.chat in (select id from people) and not (i.may_be_known and ${REPORTED}) order by ord
     on conflict (account_id, id) do nothing
     returning account_id, id, channel_id, chat, sent_at, text is not null as has_text
   ), searched as (
     ${queueForSearch("select account_id, id from added where has_text")}
   ), ${PLACE_CHATS}
   select a.id, false as is_misplaced, null as named from added a
   union all
   select i.id, true, (select c.chat_id from chats c where c.account_id = any(array[i.account_id]) and c.id = i.chat)
   ${MISPLACED}`,
);

/** Stores messages of one account, and returns how many are new. Idempotent. */
export async function storeDump(
  core: Base & HasChats,
  { accountId }: Scope,
  messages: readonly DumpedMessage[],
): Promise<number> {
  const named = await resolveChats(core, messages, ({ channelId, chatType, chatId }) => ({
    accountId,
    channelId,
    chatType,
    chatId,
  }));
  const rows = named.map(([message, chat]) => rowOf(accountId, message, chat.id));
  const { stored } = await core.db.bulk({ owner: `dump ${accountId}`, rows: rows.length }, (tx) =>
    insertPlaced(rows, (some) => tx.query<InsertedRow>(INSERT, [jsonRows(some)])),
  );
  return stored.length;
}

const FAILED = { code: "UNKNOWN_ERROR", description: "The service that sent the message gave no reason" };

function rowOf(accountId: number, message: DumpedMessage, chat: string): MessageRow {
  const { contentUri, status } = message;
  return {
    account_id: accountId,
    id: message.id,
    channel_id: message.channelId,
    chat,
    chat_type: message.chatType,
    chat_id: message.chatId,
    name: message.name,
    username: message.username,
    phone: message.phone,
    direction: message.isInbound ? "in" : "echo",
    type: message.type,
    status,
    text: message.text,
    content: {
      isHistory: true,
      ...(contentUri === null ? {} : { attachment: { url: contentUri } }),
    },
    author_name: message.authorName,
    error: status === "error" ? FAILED : null,
    sent_at: message.sentAt,
    place: message.place,
    is_edited: message.isEdited,
    is_deleted: message.isDeleted,
    may_be_known: message.mayBeKnown,
    is_comment: false,
    is_notice: false,
  };
}
