import { type Statement, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { checkChannel } from "../chat/named-chat.ts";
import { publicChatId } from "../chat/nickname.ts";
import { fileUrl } from "../file/file-url.ts";
import { loadFacts } from "../message/load-facts.ts";
import { ITEM_BYTES } from "../message/message-bytes.ts";
import type { MessageFact } from "../payload/facts.ts";
import { cursorOf, END, type Position } from "../position.ts";
import type { Scope } from "../scope.ts";
import type { ChatType } from "../transport/definition.ts";
import { isBackwards, MAX_READ_BYTES, type ReadPage, type ReadRange, START } from "./range.ts";

/** A chat with its last message. */
export interface ReadChat {
  readonly channelId: string;
  readonly transport: string;
  readonly chatType: ChatType;
  readonly chatId: string;
  readonly name: string;
  readonly username: string | null;
  readonly phone: string | null;
  readonly avatarUri: string | null;
  /** The client's unanswered messages of the last seven days, at most 1,000. */
  readonly unanswered: number;
  readonly lastMessage: MessageFact | null;
}

/** `placed_at`: Unix microseconds of the last message. `id` null: the row is only the end of what was read. */
interface ReadRow {
  readonly place_id: string;
  readonly place_at: number;
  readonly id: string | null;
  readonly channel_id: string;
  readonly transport: string;
  readonly chat_type: ChatType;
  readonly chat_id: string;
  readonly name: string;
  readonly username: string | null;
  readonly phone: string | null;
  readonly avatar_key: string | null;
  readonly avatar_name: string | null;
  readonly unanswered: number;
  readonly message_id: string | null;
  readonly bytes_before: number;
  /** As many chats were looked at as may be: there may be more. */
  readonly is_full: boolean;
}

/**
 * With a channel, so many of the account's chats are looked at for a page. A page may therefore be shorter than its
 * limit although there are more.
 */
const MAX_SCANNED = 5_000;

/** The last row that was looked at is always in the result, so that the next page continues there. */
function page(name: string, direction: "asc" | "desc"): Statement {
  const order = (row: string): string =>
    `${row}.minute ${direction}, ${row}.at ${direction}, ${row}.chat ${direction}`;
  const position = (at: string, id: string): string =>
    `(timestamptz 'epoch' + ${at} * interval '1 microsecond', ${id}::uuid)`;
  return sql(
    name,
    `with scanned as materialized (
       select o.account_id, o.chat, o.channel_id, o.minute, o.at, row_number() over (order by ${order("o")}) as ord
       from chat_order o where o.account_id = $1 and o.minute <= $2 and o.minute >= $5
         and (o.at, o.chat) < ${position("$3", "$4")} and (o.at, o.chat) > ${position("$6", "$7")}
       order by ${order("o")} limit $8
     ), p as materialized (
       select * from scanned s where $9::uuid is null or s.channel_id = $9 order by s.ord limit $10
     ), ends as (
       select s.* from scanned s where s.ord = $8 and (select count(*) from p) < $10 and s.chat not in (select p.chat from p)
     ), l as materialized (
       select p.*, m.id as message_id, coalesce(m.bytes, 0) as bytes from p left join lateral (
         select m.id, ${ITEM_BYTES} as bytes from messages m
         where m.account_id = p.account_id and m.chat = p.chat order by m.created_at desc, m.id desc limit 1) m on true
     )
     select l.chat as place_id, (extract(epoch from l.at) * 1000000)::bigint as place_at, l.ord, c.id, c.channel_id, h.transport,
       c.chat_type, c.chat_id, c.name, c.username, c.phone, a.key as avatar_key, a.name as avatar_name,
       (select count(*)::int from (
          select 1 from unanswered u where u.account_id = c.account_id and u.chat = c.id
            and u.at > now() - interval '7 days' limit 1000) u) as unanswered,
       l.message_id, (sum(l.bytes) over (order by l.ord) - l.bytes)::bigint as bytes_before,
       (select count(*) from scanned) = $8 as is_full
     from l join chats c on c.account_id = any(array[l.account_id]) and c.id = l.chat
     join channels h on h.account_id = any(array[c.account_id]) and h.id = any(array[c.channel_id])
     left join files a on a.account_id = any(array[c.account_id]) and a.id = c.avatar_file_id and a.state = 'stored'
     union all
     select e.chat, (extract(epoch from e.at) * 1000000)::bigint, e.ord, null, e.channel_id, '', '', '', '', null, null,
       null, null, 0, null, 0, true from ends e
     order by ord`,
  );
}
const BACKWARDS = page("read_chats_backwards", "desc");
const FORWARDS = page("read_chats_forwards", "asc");

const MINUTE_US = 60_000_000;
const minuteOf = ({ at }: Position): number => Math.floor(at / MINUTE_US);

/** Chats by their last message. Throws CHANNEL_NOT_FOUND. */
export async function readChats(core: Base, scope: Scope, range: ReadRange): Promise<ReadPage<ReadChat>> {
  const { channelId, limit } = range;
  if (channelId !== null) await checkChannel(core, scope, channelId);
  const [before, after] = [range.before ?? END, range.after ?? START];
  const read = await core.db.query<ReadRow>(isBackwards(range) ? BACKWARDS : FORWARDS, [
    scope.accountId,
    minuteOf(before),
    before.at,
    before.id,
    minuteOf(after),
    after.at,
    after.id,
    channelId === null ? limit : MAX_SCANNED,
    channelId,
    limit,
  ]);
  const cut = read.findIndex(({ bytes_before: bytes }) => bytes >= MAX_READ_BYTES);
  const rows = cut === -1 ? read : read.slice(0, cut);
  const last = rows.at(-1);
  const mayBeMore = last !== undefined && (last.is_full || rows.length >= limit || cut !== -1);
  const chats = rows.filter(({ id }) => id !== null);
  const items = await lastMessages(core, scope, chats);
  return {
    items: chats.map((row) => chatOf(row, items.get(row.message_id ?? ""), core.settings.publicUrl)),
    next: mayBeMore ? cursorOf({ at: last.place_at, id: last.place_id }) : null,
  };
}

async function lastMessages(
  core: Base,
  { accountId }: Scope,
  rows: readonly ReadRow[],
): Promise<Map<string, MessageFact>> {
  const keys = rows.flatMap(({ message_id: id }) => (id === null ? [] : [{ accountId, id }]));
  const facts = await loadFacts(core.db, core.settings.publicUrl, keys);
  return new Map(facts.map((fact) => [fact.messageId, fact]));
}

function chatOf(row: ReadRow, lastMessage: MessageFact | undefined, publicUrl: string): ReadChat {
  return {
    channelId: row.channel_id,
    transport: row.transport,
    chatType: row.chat_type,
    chatId: publicChatId({ chatType: row.chat_type, chatId: row.chat_id }),
    name: row.name,
    username: row.username,
    phone: row.phone,
    avatarUri: fileUrl(publicUrl, row.avatar_key, row.avatar_name),
    unanswered: row.unanswered,
    lastMessage: lastMessage ?? null,
  };
}
