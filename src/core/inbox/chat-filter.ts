import { type Statement, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { findNamed, type Name } from "../chat/by-name.ts";
import type { Scope } from "../scope.ts";
import type { ChatType } from "../transport/definition.ts";
import { BEFORE, hasName, ORDER } from "./chat-place.ts";
import {
  CHAT_COLUMNS,
  CHAT_TABLES,
  type ChatRow,
  IS_SNOOZED,
  type Viewer,
  WORK_TABLES,
} from "./chat-view.ts";

/** Which chats a list shows; null and false: all. */
export interface ListFilter {
  readonly transport: string | null;
  readonly channelId: string | null;
  /** Assigned to the employee, or to nobody. */
  readonly assigned: "mine" | "nobody" | null;
  /** Only chats whose last message could not be sent, of the last seven days. */
  readonly onlyFailed: boolean;
  /** Only snoozed chats. */
  readonly onlySnoozed: boolean;
}

export function isFiltered(filter: ListFilter): boolean {
  const { transport, channelId, assigned, onlyFailed, onlySnoozed } = filter;
  return transport !== null || channelId !== null || assigned !== null || onlyFailed || onlySnoozed;
}

/**
 * So many chats are looked at for a page, most recent first. A page may therefore be shorter than its limit although there
 * are more.
 */
const MAX_SCANNED = 2_000;
/** If at most so many chats can fit, all of them are named; otherwise the list is read, of which many chats fit. */
const MAX_CANDIDATES = 5_000;

const ASSIGNEE = "case when w.assigned_at is not null then w.assignee when $10 then r.id end";
const FAILED_MINUTES = 7 * 24 * 60;
const HAS_FAILED = `(
  select m.direction = 'out' and m.status = 'error' from messages m
  where m.account_id = any(array[c.account_id]) and m.chat = c.id order by m.created_at desc, m.id desc limit 1)`;

/** With the place of the last chat that was looked at, also if none fits. */
function filtered(name: string, found: boolean): Statement {
  return sql(
    name,
    `with ${found ? "found as materialized (select $1::bigint as account_id, f.id from unnest($15::uuid[]) as f(id))," : ""}
     scanned as materialized (
       select o.account_id, o.chat, o.channel_id, o.at, row_number() over (order by ${ORDER}) as ord
       from ${found ? "found f join chat_order o on o.account_id = any(array[f.account_id]) and o.chat = f.id" : "chat_order o"}
       where o.account_id = $1 and ${BEFORE}
         and (not $11 or o.minute >= floor(extract(epoch from now()) / 60) - ${FAILED_MINUTES})
       order by ${ORDER} limit $6
     ), fitting as materialized (
       select s.* from scanned s join chats c on c.account_id = any(array[s.account_id]) and c.id = s.chat
       ${WORK_TABLES}
       where s.channel_id = any(array(
           select h.id from channels h where h.account_id = $1 and ($7::text is null or h.transport = $7)
             and ($8::uuid is null or h.id = $8)))
         and ($9::text is null or coalesce(${ASSIGNEE} = $9, false)) and (not $12 or ${ASSIGNEE} is null)
         and (not $11 or coalesce(${HAS_FAILED}, false)) and (not $13 or ${IS_SNOOZED})
         and ($14 = '' or ${hasName("$14")})
       order by s.ord limit $5
     ), p as materialized (select * from fitting),
     l as materialized (select p.ord as place, ${CHAT_COLUMNS} from p ${CHAT_TABLES}),
     e as (
       select chat as end_id, (extract(epoch from at) * 1000000)::bigint as end_at,
         case when (select count(*) from p) = $5 then (select max(ord) from p) else (select max(ord) from scanned) end as last
       from scanned where ord = case
         when (select count(*) from p) = $5 then (select max(ord) from p) else (select max(ord) from scanned) end)
     select e.end_id, e.end_at, (select count(*) from p) = $5 or (select count(*) from scanned) = $6 as has_more, l.*
     from e left join l on true order by l.place`,
  );
}
const WALK = filtered("inbox_filtered_chats", false);
const SOME = filtered("inbox_filtered_some", true);

type FilteredRow = (ChatRow | { readonly id: null }) & {
  readonly end_id: string;
  readonly end_at: number;
  readonly has_more: boolean;
};

export interface FilteredPage {
  readonly rows: readonly ChatRow[];
  /** The place after which the next page begins; null: there are no more chats. */
  readonly end: { readonly at: number; readonly id: string } | null;
}

interface FilterQuery {
  readonly accountId: number;
  readonly viewer: Viewer;
  /** Minute, time and id of the position. */
  readonly place: readonly [number, number, string];
  readonly limit: number;
  /** Part of a name; "": any. */
  readonly search: string;
  readonly filter: ListFilter;
  /** Our ids of the only chats that can fit; null: look at all. */
  readonly candidates: readonly string[] | null;
}

/** Chats that fit a filter, most recent message first; see `MAX_SCANNED`. */
export async function readFiltered(core: Base, query: FilterQuery): Promise<FilteredPage> {
  const { accountId, viewer, place, limit, search, filter, candidates } = query;
  const values = [
    accountId,
    ...place,
    limit,
    MAX_SCANNED,
    filter.transport,
    filter.channelId,
    filter.assigned === "mine" ? viewer.userId : null,
    viewer.crm,
    filter.onlyFailed,
    filter.assigned === "nobody",
    filter.onlySnoozed,
    search,
  ];
  const rows = await core.db.query<FilteredRow>(
    candidates === null ? WALK : SOME,
    candidates === null ? values : [...values, candidates],
  );
  const [first] = rows;
  return {
    rows: rows.filter((row): row is ChatRow & FilteredRow => row.id !== null),
    end: first?.has_more === true ? { at: first.end_at, id: first.end_id } : null,
  };
}

const SNOOZED = sql(
  "inbox_snoozed_chats",
  `select chat as id from chat_work where account_id = any(array[$1::bigint]) and snoozed_until is not null limit $2`,
);
const OF_CHANNELS = sql(
  "inbox_chats_of_channels",
  `select c.id from channels h cross join lateral (
     select o.id from chats o where o.channel_id = h.id limit $4) c
   where h.account_id = $1 and ($2::text is null or h.transport = $2) and ($3::uuid is null or h.id = $3) limit $4`,
);
const ASSIGNED = sql(
  "inbox_assigned_chats",
  "select chat as id from chat_work where account_id = $1 and assignee = $2 limit $3",
);
const NAMES_OF_CONTACTS = sql(
  "inbox_names_of_contacts",
  `select k.chat_type, k.chat_id, k.username, k.phone from contacts p
   join contact_chats k on k.account_id = any(array[p.account_id]) and k.contact_id = any(array[p.id])
   where p.account_id = $1 and p.responsible_user_id = $2 limit $3`,
);
/** Names of contacts that are looked up at a time. */
const MAX_NAMES = 2_000;

/** Our ids of all chats that can fit; null: too many to name. */
export async function candidatesOf(
  core: Base,
  scope: Scope,
  viewer: Viewer,
  filter: ListFilter,
): Promise<readonly string[] | null> {
  const { accountId } = scope;
  const most = MAX_CANDIDATES + 1;
  const read = async (
    statement: Statement,
    values: readonly unknown[],
  ): Promise<readonly string[] | null> => {
    const rows = await core.db.query<{ id: string }>(statement, values);
    return rows.length === most ? null : rows.map(({ id }) => id);
  };
  if (filter.onlySnoozed) return read(SNOOZED, [accountId, most]);
  if (filter.assigned === "mine") {
    const assigned = await read(ASSIGNED, [accountId, viewer.userId, most]);
    const named = assigned === null || !viewer.crm ? [] : await chatsOfContacts(core, scope, viewer.userId);
    return assigned === null || named === null ? null : [...new Set([...assigned, ...named])];
  }
  if (filter.transport === null && filter.channelId === null) return null;
  return read(OF_CHANNELS, [accountId, filter.transport, filter.channelId, most]);
}

async function chatsOfContacts(
  core: Base,
  { accountId }: Scope,
  userId: string,
): Promise<readonly string[] | null> {
  const rows = await core.db.query<{
    chat_type: ChatType;
    chat_id: string | null;
    username: string | null;
    phone: string | null;
  }>(NAMES_OF_CONTACTS, [accountId, userId, MAX_NAMES + 1]);
  if (rows.length > MAX_NAMES) return null;
  const names: Name[] = rows.map(({ chat_type: chatType, chat_id: chatId, username, phone }) => ({
    chatType,
    chatId,
    username,
    phone,
  }));
  return names.length === 0 ? [] : (await findNamed(core.db, accountId, names)).map(({ id }) => id);
}
