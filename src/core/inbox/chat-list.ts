import { type Statement, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { type ChatIdentity, findNamed } from "../chat/by-name.ts";
import { AppError } from "../errors.ts";
import { cursorOf, END, type Position } from "../position.ts";
import {
  CHAT_COLUMNS,
  CHAT_TABLES,
  type ChatRow,
  type ChatView,
  chatView,
  loadChats,
  loadReads,
} from "./chat-view.ts";
import { type InboxSession, isReachable, reachOf } from "./reach.ts";

const MINUTE_US = 60_000_000;

/**
 * The order of the list. A request for the next page also names the minute of its position, which the index starts
 * with.
 */
const BEFORE =
  "o.minute <= $2 and (o.at, o.chat) < (timestamptz 'epoch' + $3 * interval '1 microsecond', $4::uuid)";
const ORDER = "o.minute desc, o.at desc, o.chat desc";

const listOf = (name: string, from: string): Statement =>
  sql(
    name,
    `with ${from} p as materialized (
       select o.account_id, o.chat, o.minute, o.at from ${from === "" ? "" : "found f join "}chat_order o
       ${from === "" ? "" : "on o.account_id = any(array[f.account_id]) and o.chat = f.id"}
       where o.account_id = $1 and ${BEFORE} order by ${ORDER} limit $5)
     select p.chat as place_id, (extract(epoch from p.at) * 1000000)::bigint as place_at,
       (select count(*) from p)::int as fetched, ${CHAT_COLUMNS}
     from p ${CHAT_TABLES} order by p.minute desc, p.at desc, p.chat desc`,
  );
const LIST = listOf("inbox_chat_list", "");
const LIST_SOME = listOf(
  "inbox_some_chats",
  "found as materialized (select $1::bigint as account_id, s.id from unnest($6::uuid[]) as s(id)),",
);

const NAMES = "c.name || ' ' || coalesce(c.username, '') || ' ' || coalesce(c.phone, '')";
const HAS = (text: string): string => `position(lower(${text}) in lower(' ' || ${NAMES})) > 0`;
/** Maximum search results that can be paged through. */
const MAX_FOUND = 5_000;
const BY_GRAMS = listOf(
  "inbox_chats_by_grams",
  `found as materialized (
     select c.account_id, c.id from chats c
     where name_grams(c.account_id, ${NAMES}) @> $7::text[] and ${HAS("$6")} limit ${MAX_FOUND}),`,
);
/** A single letter has no trigrams: only the chats with the most recent messages are searched. */
const RECENT = 500;
const BY_LETTER = listOf(
  "inbox_chats_by_letter",
  `recent as materialized (
     select account_id, chat from chat_order where account_id = $1 order by minute desc, at desc, chat desc limit ${RECENT}
   ), found as materialized (
     select c.account_id, c.id from recent r
     join chats c on c.account_id = any(array[r.account_id]) and c.id = r.chat where ${HAS("$6")}),`,
);

/** Trigrams of the search text, as in `name_grams`; two letters match the beginning of a word. Pure. */
export function gramsOf(accountId: number, text: string): string[] {
  const letters = [...text.toLowerCase()];
  const padded = letters.length < 3 ? [" ", ...letters] : letters;
  const grams = padded.slice(2).map((_, at) => padded.slice(at, at + 3).join(""));
  return [...new Set(grams)].map((gram) => `${accountId}:${gram}`);
}

/** `fetched`: size of the page, including chats that were deleted meanwhile. */
type ListedRow = ChatRow & { readonly place_id: string; readonly place_at: number; readonly fetched: number };

export interface ChatPage {
  readonly chats: ChatView[];
  /** Cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListQuery {
  readonly before: Position | null;
  readonly limit: number;
  /** Part of a name, phone number or username; "": no search. */
  readonly search: string;
  /** Only chats with unanswered messages. */
  readonly onlyUnanswered: boolean;
}

/** A page of the chats that the session may see, most recent message first. */
export async function listChats(core: Base, session: InboxSession, query: ListQuery): Promise<ChatPage> {
  const { accountId } = session.scope;
  const { limit } = query;
  const { at, id } = query.before ?? END;
  const values = [accountId, Math.floor(at / MINUTE_US), at, id, limit];
  const rows = await core.db.query<ListedRow>(...(await statementFor(core, session, values, query)));
  const last = rows.at(-1);
  return {
    chats: await chatViews(core, session, rows),
    next: last?.fetched === limit ? cursorOf({ at: last.place_at, id: last.place_id }) : null,
  };
}

async function statementFor(
  core: Base,
  session: InboxSession,
  values: readonly unknown[],
  { search, onlyUnanswered }: ListQuery,
): Promise<[Statement, readonly unknown[]]> {
  if (onlyUnanswered) return [LIST_SOME, [...values, await waitingChats(core, session, search)]];
  if (session.opening.scope === "card")
    return [LIST_SOME, [...values, await cardChats(core, session, search)]];
  if (search === "") return [LIST, values];
  const letters = [...search].length;
  if (letters === 1) return [BY_LETTER, [...values, search]];
  const text = letters === 2 ? ` ${search}` : search;
  return [BY_GRAMS, [...values, text, gramsOf(session.scope.accountId, search)]];
}

const WAITING = sql(
  "inbox_waiting_chats",
  `with w as materialized (select distinct chat from unanswered where account_id = $1 and at > now() - interval '7 days')
   select c.id, c.name, c.chat_type, c.chat_id, c.username, c.phone from w
   join chats c on c.account_id = any(array[$1::bigint]) and c.id = w.chat`,
);

/** Our ids of the chats with unanswered messages that the session may see. */
async function waitingChats(core: Base, { scope, opening }: InboxSession, search: string): Promise<string[]> {
  const rows = await core.db.query<ChatIdentity & { id: string; name: string }>(WAITING, [scope.accountId]);
  const isInReach = reachOf(opening);
  return rows.filter((row) => isInReach(row) && hasName(row, search)).map(({ id }) => id);
}

function hasName(
  { name, username, phone }: ChatIdentity & { readonly name: string },
  search: string,
): boolean {
  return `${name} ${username ?? ""} ${phone ?? ""}`.toLowerCase().includes(search.toLowerCase());
}

/** Our ids of the chats of the session's CRM entity. */
export async function cardChats(
  core: Base,
  { scope, opening }: InboxSession,
  search: string,
): Promise<string[]> {
  const found = await findNamed(core.db, scope.accountId, opening.chats);
  return found.filter((row) => hasName(row, search)).map(({ id }) => id);
}

/** The chats as the session's employee sees them. */
export async function chatViews(
  core: Base,
  { scope, opening }: InboxSession,
  rows: readonly ChatRow[],
): Promise<ChatView[]> {
  const chats = rows.filter(({ waiting }) => waiting.length > 0).map(({ id }) => id);
  const reads = await loadReads(core.db, scope.accountId, { users: [opening.userId], chats });
  return rows.map((row) => chatView(row, reads.of(opening.userId, row.id), core.settings.publicUrl));
}

/** Throws CHAT_NOT_FOUND for a chat outside the session's scope, as for one that does not exist. */
export async function reachChat(core: Base, session: InboxSession, chat: string): Promise<ChatRow> {
  const [row] = await loadChats(core.db, session.scope.accountId, [chat]);
  if (row === undefined || !isReachable(session.opening, row)) throw new AppError("CHAT_NOT_FOUND");
  return row;
}

/** The current state of the chat for the session's employee. Throws CHAT_NOT_FOUND. */
export async function getChat(core: Base, session: InboxSession, chat: string): Promise<ChatView> {
  const [view] = await chatViews(core, session, [await reachChat(core, session, chat)]);
  if (view === undefined) throw new AppError("CHAT_NOT_FOUND");
  return view;
}
