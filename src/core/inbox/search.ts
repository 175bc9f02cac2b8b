import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { cursorOf, END, type Position } from "../position.ts";
import { cardChats, chatViews, reachChat } from "./chat-list.ts";
import { type ChatView, loadChats } from "./chat-view.ts";
import { type EntryView, findNotes } from "./entries.ts";
import { loadMessages, type MessageView, messageView } from "./message-view.ts";
import type { InboxSession } from "./reach.ts";

export interface Found {
  readonly found: { readonly message: MessageView; readonly chat: ChatView }[];
  /** Of the first page: internal notes, newest first. */
  readonly notes: { readonly note: EntryView; readonly chat: ChatView }[];
  readonly next: string | null;
}

export interface SearchQuery {
  /** Words; each matches as a prefix. */
  readonly text: string;
  readonly before: Position | null;
  readonly limit: number;
}

/** A page ends after the message with which it exceeds this many bytes of text. */
const MAX_PAGE_BYTES = 1024 * 1024;

/** Messages with all words of the text, newest first, in the chats that the session may see. */
export async function searchMessages(core: Base, session: InboxSession, query: SearchQuery): Promise<Found> {
  const chats = session.opening.scope === "global" ? null : await cardChats(core, session, "");
  return search(core, session, query, chats);
}

/** The same for one chat. Throws CHAT_NOT_FOUND. */
export async function searchChat(
  core: Base,
  session: InboxSession,
  chat: string,
  query: SearchQuery,
): Promise<Found> {
  await reachChat(core, session, chat);
  return search(core, session, query, [chat]);
}

async function search(
  core: Base,
  session: InboxSession,
  { text, before, limit }: SearchQuery,
  chats: readonly string[] | null,
): Promise<Found> {
  const { accountId } = session.scope;
  const hits = await findHits(core.db, { accountId, text, chats, before: before ?? END, limit });
  const notes = before === null ? await notesWith(core.db, { accountId, text, chats }) : [];
  const ids = hits.map(({ id }) => id);
  const { rows: messages, cutAt } = await loadMessages(core.db, accountId, ids, MAX_PAGE_BYTES);
  const chatIds = [
    ...new Set([...messages.map(({ chat }) => chat), ...notes.map(({ chat_id: chat }) => chat)]),
  ];
  const views = await chatViews(core, session, await loadChats(core.db, accountId, chatIds));
  const chatOf = new Map(views.map((chat) => [chat.id, chat]));
  const last = cutAt === null ? hits.at(-1) : hits[ids.indexOf(cutAt) - 1];
  const hasMore = cutAt !== null || hits.length === limit;
  return {
    found: messages.flatMap((row) => {
      const chat = chatOf.get(row.chat);
      return chat === undefined ? [] : [{ message: messageView(core, row), chat }];
    }),
    notes: notes.flatMap((note) => {
      const chat = chatOf.get(note.chat_id);
      return chat === undefined ? [] : [{ note, chat }];
    }),
    next: hasMore && last !== undefined ? cursorOf(last) : null,
  };
}

const MAX_NOTES = 20;
/** Notes of the last five years are found. */
const NOTE_WEEKS = 261;

async function notesWith(
  db: Queryable,
  { accountId, text, chats }: Pick<Wanted, "accountId" | "text" | "chats">,
): Promise<EntryView[]> {
  const [age] = await db.query<{ since: number; now: number }>(AGE, [accountId]);
  if (age === undefined) return [];
  const newest = Math.floor(age.now / WEEK_US);
  const count = Math.min(NOTE_WEEKS, newest - Math.floor(age.since / WEEK_US) + 1);
  const weeks = Array.from({ length: count }, (_, back) => newest - back);
  return findNotes(db, accountId, { weeks, text, chats, limit: MAX_NOTES });
}

interface Wanted {
  readonly accountId: number;
  readonly text: string;
  /** Null: all chats of the account. */
  readonly chats: readonly string[] | null;
  readonly before: Position;
  readonly limit: number;
}

const WEEK_US = 604_800_000_000;
/** Weeks of the first step back in time; each step is four times as long as the previous one. */
const FIRST_WEEKS = 1;
const GROWTH = 4;
const MAX_WEEKS = 256;

const AGE = sql(
  "inbox_search_age",
  `select (extract(epoch from created_at) * 1000000)::bigint as since, (extract(epoch from now()) * 1000000)::bigint as now
   from accounts where id = $1`,
);

// The materialized part can use only the full-text index. The index is filled in the background, so messages of the
// last second or two may be missing.
const SEARCH = sql(
  "inbox_search",
  `with hit as materialized (
     select w.account_id, w.message_id as id, w.chat, w.created_at from message_words w
     where search_words(w.account_id, w.created_at, w.text) @@ search_query($1, $2::integer[], $3))
   select id, (extract(epoch from created_at) * 1000000)::bigint as at from hit
   where account_id = $1 and ($4::uuid[] is null or chat = any($4))
     and (created_at, id) < (timestamptz 'epoch' + $5 * interval '1 microsecond', $6::uuid)
   order by created_at desc, id desc limit $7`,
);

/** The account's messages with all words of a text, newest first. */
export function findWords(db: Queryable, wanted: Omit<Wanted, "chats">): Promise<Position[]> {
  return findHits(db, { ...wanted, chats: null });
}

/**
 * Searches backwards from the position in growing steps until it has enough hits or reaches the account's creation.
 */
async function findHits(db: Queryable, wanted: Wanted): Promise<Position[]> {
  const { accountId, text, chats, before, limit } = wanted;
  const [age] = await db.query<{ since: number; now: number }>(AGE, [accountId]);
  if (age === undefined) return [];
  const oldest = Math.floor(age.since / WEEK_US);
  const hits: Position[] = [];
  let newest = Math.floor(Math.min(before.at, age.now) / WEEK_US);
  for (let count = FIRST_WEEKS; newest >= oldest && hits.length < limit; count *= GROWTH) {
    const weeks = Array.from(
      { length: Math.min(count, MAX_WEEKS, newest - oldest + 1) },
      (_, back) => newest - back,
    );
    const values = [accountId, weeks, text, chats, before.at, before.id, limit - hits.length];
    hits.push(...(await db.query<Position & object>(SEARCH, values)));
    newest -= weeks.length;
  }
  return hits;
}
