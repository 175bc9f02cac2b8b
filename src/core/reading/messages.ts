import { type Statement, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { findChats } from "../chat/named-chat.ts";
import { FACT_COLUMNS, FACT_TABLES, type FactRow, factOf } from "../message/load-facts.ts";
import { ITEM_BYTES } from "../message/message-bytes.ts";
import type { MessageFact } from "../payload/facts.ts";
import { cursorOf, END } from "../position.ts";
import type { Scope } from "../scope.ts";
import type { ChatType } from "../transport/definition.ts";
import { isBackwards, MAX_READ_BYTES, type ReadPage, type ReadRange, START } from "./range.ts";

/** `placed_at`: Unix microseconds. `fetched`: messages found, of which those over the limit of bytes are left out. */
interface ReadRow extends FactRow {
  readonly placed_at: number;
  readonly fetched: number;
}

/** Messages of the chats $2 between two positions. Each chat is read along its index. */
function page(name: string, direction: "asc" | "desc"): Statement {
  const order = (row: string): string => `${row}.created_at ${direction}, ${row}.id ${direction}`;
  const position = (at: string, id: string): string =>
    `(timestamptz 'epoch' + ${at} * interval '1 microsecond', ${id}::uuid)`;
  return sql(
    name,
    `with p as materialized (
       select m.account_id, m.id, m.created_at,
         sum(${ITEM_BYTES}) over (order by ${order("m")}) - ${ITEM_BYTES} as bytes_before
       from (select w.* from unnest($2::uuid[]) as k(chat) cross join lateral (
               select * from messages w where w.account_id = $1 and w.chat = k.chat
                 and (w.created_at, w.id) < ${position("$3", "$4")} and (w.created_at, w.id) > ${position("$5", "$6")}
               order by ${order("w")} limit $7) w
             order by ${order("w")} limit $7) m)
     select ${FACT_COLUMNS}, (extract(epoch from m.created_at) * 1000000)::bigint as placed_at,
       (select count(*) from p)::int as fetched
     from p join messages m on m.account_id = any(array[p.account_id]) and m.id = p.id
     ${FACT_TABLES} where p.bytes_before < $8 order by ${order("p")}`,
  );
}
const BACKWARDS = page("read_messages_backwards", "desc");
const FORWARDS = page("read_messages_forwards", "asc");

/**
 * Messages of a chat as webhooks show them, in the order in which they were stored. Without a channel, those of all
 * channels that have the chat. Throws CHANNEL_NOT_FOUND, CHAT_NOT_FOUND.
 */
export async function readMessages(
  core: Base,
  scope: Scope,
  chat: { readonly chatType: ChatType; readonly chatId: string },
  range: ReadRange,
): Promise<ReadPage<MessageFact>> {
  const { limit } = range;
  const chats = await findChats(core, scope, { ...chat, channelId: range.channelId });
  const [before, after] = [range.before ?? END, range.after ?? START];
  // One row more than requested shows whether there are more.
  const rows = await core.db.query<ReadRow>(isBackwards(range) ? BACKWARDS : FORWARDS, [
    scope.accountId,
    chats,
    before.at,
    before.id,
    after.at,
    after.id,
    limit + 1,
    MAX_READ_BYTES,
  ]);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map((row) => factOf(row, core.settings.publicUrl)),
    next:
      last !== undefined && last.fetched > shown.length
        ? cursorOf({ at: last.placed_at, id: last.id })
        : null,
  };
}
