import { type Statement, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { type ChatIdentity, findNamed } from "../chat/by-name.ts";
import { countUnansweredOfAnyone, type Unanswered } from "../crm/unanswered.ts";
import { AppError } from "../errors.ts";
import { cursorOf, END, type Position } from "../position.ts";
import { candidatesOf, isFiltered, type ListFilter, readFiltered } from "./chat-filter.ts";
import { ALL_NAMES, BEFORE, hasName, ORDER } from "./chat-place.ts";
import {
  CHAT_COLUMNS,
  CHAT_TABLES,
  type ChatRow,
  type ChatView,
  chatView,
  loadChats,
  loadMarks,
  ownView,
} from "./chat-view.ts";

import { type InboxSession, isReachable, reachOf } from "./reach.ts";

const MINUTE_US = 60_000_000;
/** An employee can pin so many chats. */
export const MAX_PINNED = 50;

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

/** Maximum search results that can be paged through. */
const MAX_FOUND = 5_000;
const BY_GRAMS = listOf(
  "inbox_chats_by_grams",
  `found as materialized (
     select c.account_id, c.id from chats c
     where name_grams(c.account_id, ${ALL_NAMES}) @> $7::text[] and ${hasName("$6")} limit ${MAX_FOUND}),`,
);
/** A single letter has no trigrams: only the chats with the most recent messages are searched. */
const RECENT = 500;
const BY_LETTER = listOf(
  "inbox_chats_by_letter",
  `recent as materialized (
     select account_id, chat from chat_order where account_id = $1 order by minute desc, at desc, chat desc limit ${RECENT}
   ), found as materialized (
     select c.account_id, c.id from recent r
     join chats c on c.account_id = any(array[r.account_id]) and c.id = r.chat where ${hasName("$6")}),`,
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
  /** Of the first page: chats that the employee has pinned, latest pin first, also if `chats` has them. */
  readonly pinned: ChatView[];
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
  readonly filter: ListFilter;
}

/**
 * A page of the chats that the session may see, most recent message first. With a filter, a page may be shorter than its
 * limit although there are more.
 */
export async function listChats(core: Base, session: InboxSession, query: ListQuery): Promise<ChatPage> {
  const { before, search, filter, onlyUnanswered } = query;
  await checkChannel(core, session, filter.channelId);
  const isFirst = before === null && search === "" && !onlyUnanswered && !isFiltered(filter);
  // One after the other: the limit of reads of an account counts requests, each of which uses one connection.
  const page = await (isFiltered(filter) ? filteredPage : wholePage)(core, session, query);
  const pinned = isFirst ? await pinnedChats(core, session) : [];
  const views = await chatViews(core, session, [...page.rows, ...pinned]);
  return { chats: views.slice(0, page.rows.length), pinned: views.slice(page.rows.length), next: page.next };
}

const CHANNEL = sql("inbox_filter_channel", "select 1 from channels where account_id = $1 and id = $2");

/** Chats of a deleted channel can be listed if they were kept. */
async function checkChannel(core: Base, { scope }: InboxSession, channelId: string | null): Promise<void> {
  if (channelId === null) return;
  const found = await core.db.query(CHANNEL, [scope.accountId, channelId]);
  if (found.length === 0) throw new AppError("CHANNEL_NOT_FOUND");
}

interface RowPage {
  readonly rows: readonly ChatRow[];
  readonly next: string | null;
}

async function wholePage(core: Base, session: InboxSession, query: ListQuery): Promise<RowPage> {
  const { accountId } = session.scope;
  const { limit } = query;
  const { at, id } = query.before ?? END;
  const values = [accountId, Math.floor(at / MINUTE_US), at, id, limit];
  const rows = await core.db.query<ListedRow>(...(await statementFor(core, session, values, query)));
  const last = rows.at(-1);
  return { rows, next: last?.fetched === limit ? cursorOf({ at: last.place_at, id: last.place_id }) : null };
}

async function filteredPage(core: Base, session: InboxSession, query: ListQuery): Promise<RowPage> {
  const { scope, opening } = session;
  const { limit, search, filter, onlyUnanswered } = query;
  const { at, id } = query.before ?? END;
  const candidates = onlyUnanswered
    ? await waitingChats(core, session, search)
    : opening.scope === "card"
      ? await cardChats(core, session, search)
      : await candidatesOf(core, scope, opening, filter);
  const { rows, end } = await readFiltered(core, {
    accountId: scope.accountId,
    viewer: opening,
    place: [Math.floor(at / MINUTE_US), at, id],
    limit,
    search,
    filter,
    candidates,
  });
  return { rows, next: end === null ? null : cursorOf(end) };
}

const PINNED = sql(
  "inbox_pinned_chats",
  `with p as materialized (
     select account_id, chat, pinned_at from chat_marks
     where account_id = $1 and user_id = $2 and pinned_at is not null order by pinned_at desc limit ${MAX_PINNED})
   select ${CHAT_COLUMNS} from p ${CHAT_TABLES} order by p.pinned_at desc`,
);

async function pinnedChats(core: Base, { scope, opening }: InboxSession): Promise<readonly ChatRow[]> {
  const rows = await core.db.query<ChatRow>(PINNED, [scope.accountId, opening.userId]);
  return rows.filter(reachOf(opening));
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
  return rows.filter((row) => isInReach(row) && isNamed(row, search)).map(({ id }) => id);
}

function isNamed(
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
  return found.filter((row) => isNamed(row, search)).map(({ id }) => id);
}

const COUNT = sql(
  "inbox_count_unanswered",
  `select count(*)::int as counter, max(at) as "lastMessageAt" from unanswered
   where account_id = $1 and chat = any($2) and at > now() - interval '7 days'`,
);

/** Counts the unanswered messages of the chats that the session may see, as `countUnanswered`. */
export async function countWaiting(core: Base, session: InboxSession): Promise<Unanswered> {
  const { scope, opening } = session;
  if (opening.scope === "global") return countUnansweredOfAnyone(core, scope, opening.userId);
  const chats = await cardChats(core, session, "");
  const [row] = await core.db.query<Omit<Unanswered, "type">>(COUNT, [scope.accountId, chats]);
  const { counter = 0, lastMessageAt = null } = row ?? {};
  return { counter, type: counter > 0 ? "red" : null, lastMessageAt };
}

/** The chats as the session's employee sees them. */
export async function chatViews(
  core: Base,
  { scope, opening }: InboxSession,
  rows: readonly ChatRow[],
): Promise<ChatView[]> {
  const chats = rows.map(({ id }) => id);
  const marks = await loadMarks(core.db, scope.accountId, { users: [opening.userId], chats });
  return rows.map((row) =>
    chatView(row, ownView(row, marks.of(opening.userId, row.id), opening), core.settings.publicUrl),
  );
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
