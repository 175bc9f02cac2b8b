import { type Queryable, type Statement, sql } from "../../database/database.ts";
import { isUuid } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import type { HasLive } from "../event/live-notifier.ts";
import type { Position } from "../position.ts";
import { authorNameOf } from "./author.ts";
import { reachChat } from "./chat-list.ts";
import type { Colleague } from "./chat-view.ts";
import { type ProposalDetails, type ProposalView, proposalView } from "./proposal-view.ts";
import type { InboxSession } from "./reach.ts";

export const ENTRY_KINDS = ["note", "assigned", "snoozed", "proposed"] as const;

/** A line of a conversation that only employees see: an internal note, who did what with the chat, or a proposed message. */
export interface EntryView {
  readonly id: string;
  readonly chat_id: string;
  readonly kind: (typeof ENTRY_KINDS)[number];
  /** Sort key within a thread, as that of messages. */
  readonly order: string;
  readonly at: string;
  /** Of a proposed message: the token that proposed it, without a name. */
  readonly author: Colleague;
  /** Of a note, empty once it is deleted; or of a proposed message. */
  readonly text: string;
  /** Of an assignment: who it was before, and who it is now; null: nobody. */
  readonly from: Colleague | null;
  readonly to: Colleague | null;
  /** Of a snooze: until when; null: it was ended. */
  readonly until: string | null;
  /** Of a proposed message. */
  readonly proposal: ProposalView | null;
  readonly edited_at: string | null;
  readonly deleted_at: string | null;
}

/** What else is known of an entry, by its kind. */
export type EntryDetails = Partial<Pick<EntryView, "from" | "to" | "until">>;

/** Characters. */
export const MAX_NOTE_LENGTH = 10_000;

interface EntryRow {
  readonly id: string;
  readonly chat: string;
  readonly kind: EntryView["kind"];
  readonly author_id: string;
  readonly author_name: string | null;
  readonly text: string;
  readonly details: EntryDetails & { readonly proposal?: ProposalDetails };
  readonly now: Date;
  readonly created_at: Date;
  readonly placed_at: number;
  readonly edited_at: Date | null;
  readonly deleted_at: Date | null;
}

const COLUMNS = `n.id, n.chat, n.kind, n.author_id, n.author_name, n.text, n.details, n.created_at,
  (extract(epoch from n.created_at) * 1000000)::bigint as placed_at, n.edited_at, n.deleted_at, now()`;

function entryView(row: EntryRow): EntryView {
  const { from = null, to = null, until = null, proposal } = row.details;
  return {
    id: row.id,
    chat_id: row.chat,
    kind: row.kind,
    order: String(row.placed_at).padStart(17, "0"),
    at: row.created_at.toISOString(),
    author: { id: row.author_id, name: row.author_name },
    text: row.text,
    from,
    to,
    until,
    proposal: proposal === undefined ? null : proposalView(proposal, row.now),
    edited_at: row.edited_at?.toISOString() ?? null,
    deleted_at: row.deleted_at?.toISOString() ?? null,
  };
}

/** An entry at its place in the thread. */
export interface PlacedEntry extends Position {
  readonly view: EntryView;
}

function placed(row: EntryRow): PlacedEntry {
  return { at: row.placed_at, id: row.id, view: entryView(row) };
}

const LOAD = sql(
  "chat_entries_load",
  `select ${COLUMNS} from chat_entries n where n.account_id = $1 and n.id = any($2)`,
);

/** The account's entries with these ids, deleted ones included. */
export async function loadEntries(
  db: Queryable,
  accountId: number,
  ids: readonly string[],
): Promise<PlacedEntry[]> {
  return ids.length === 0 ? [] : (await db.query<EntryRow & object>(LOAD, [accountId, ids])).map(placed);
}

function near(name: string, comparison: "<" | ">", direction: "asc" | "desc"): Statement {
  return sql(
    name,
    `select ${COLUMNS} from chat_entries n
     where n.account_id = $1 and n.chat = $2 and n.deleted_at is null
       and (n.created_at, n.id) ${comparison} (timestamptz 'epoch' + $3 * interval '1 microsecond', $4::uuid)
     order by n.created_at ${direction}, n.id ${direction} limit $5`,
  );
}
const BEFORE = near("chat_entries_before", "<", "desc");
const AFTER = near("chat_entries_after", ">", "asc");

/** The entries of a chat nearest to a position, on one side of it, oldest first. */
export async function entriesNear(
  db: Queryable,
  { accountId, chat }: { readonly accountId: number; readonly chat: string },
  { at, id }: Position,
  { side, limit }: { readonly side: "before" | "after"; readonly limit: number },
): Promise<PlacedEntry[]> {
  const statement = side === "before" ? BEFORE : AFTER;
  const rows = await db.query<EntryRow & object>(statement, [accountId, chat, at, id, limit]);
  const entries = rows.map(placed);
  return side === "before" ? entries.reverse() : entries;
}

const ADD = sql(
  "chat_note_add",
  `insert into chat_entries (account_id, id, chat, channel_id, kind, author_id, author_name, text)
   values ($1, $2, $3, $4, 'note', $5, $6, $7) on conflict (account_id, id) do nothing`,
);

/** A note of an employee. */
export interface NewNote {
  /** Chosen by the page. A repeated request with the same id is stored once. */
  readonly id: string;
  readonly text: string;
}

/** Stores an internal note, which nobody but employees sees. Throws CHAT_NOT_FOUND, VALIDATION_ERROR. */
export async function addNote(
  core: Base & HasLive,
  session: InboxSession,
  chat: string,
  { id, text }: NewNote,
): Promise<EntryView> {
  const { scope, opening } = session;
  const { channel_id: channelId } = await reachChat(core, session, chat);
  const [author, name] = [opening.userId, await authorNameOf(core, session)];
  const values = [scope.accountId, id, chat, channelId, author, name, written(text)];
  await core.db.query(ADD, values);
  const [note] = await loadEntries(core.db, scope.accountId, [id]);
  if (note === undefined || note.view.chat_id !== chat || note.view.author.id !== author)
    throw new AppError("MESSAGES_NOT_FOUND");
  notifyEntry(core, scope.accountId, note.view);
  return note.view;
}

function written(text: string): string {
  const note = text.trim();
  if (note !== "") return note;
  throw new AppError("VALIDATION_ERROR", {
    data: { fields: [{ field: "text", message: "must not be empty" }] },
  });
}

const CHANGE = sql(
  "chat_note_change",
  `update chat_entries n set text = $3, edited_at = now()
   where n.account_id = $1 and n.id = $2 and n.deleted_at is null and n.text <> $3 returning ${COLUMNS}`,
);
// The row stays, so that open pages are told that it is deleted.
const REMOVE = sql(
  "chat_note_remove",
  `update chat_entries n set text = '', deleted_at = now()
   where n.account_id = $1 and n.id = $2 and n.deleted_at is null returning ${COLUMNS}`,
);

/** Changes the text of the employee's own note. Throws MESSAGES_NOT_FOUND, FORBIDDEN, VALIDATION_ERROR. */
export async function editNote(
  core: Base & HasLive,
  session: InboxSession,
  id: string,
  text: string,
): Promise<EntryView> {
  const note = await reachOwnNote(core, session, id);
  const { accountId } = session.scope;
  const [row] = await core.db.query<EntryRow & object>(CHANGE, [accountId, id, written(text)]);
  if (row === undefined) return note;
  notifyEntry(core, accountId, entryView(row));
  return entryView(row);
}

/** Deletes the text of the employee's own note. Throws MESSAGES_NOT_FOUND, FORBIDDEN. */
export async function removeNote(
  core: Base & HasLive,
  session: InboxSession,
  id: string,
): Promise<EntryView> {
  const note = await reachOwnNote(core, session, id);
  const { accountId } = session.scope;
  const [row] = await core.db.query<EntryRow & object>(REMOVE, [accountId, id]);
  if (row === undefined) return note;
  notifyEntry(core, accountId, entryView(row));
  return entryView(row);
}

async function reachOwnNote(core: Base, session: InboxSession, id: string): Promise<EntryView> {
  const [note] = isUuid(id) ? await loadEntries(core.db, session.scope.accountId, [id]) : [];
  const isThere = note?.view.kind === "note" && note.view.deleted_at === null;
  if (note === undefined || !isThere) throw new AppError("MESSAGES_NOT_FOUND");
  await reachChat(core, session, note.view.chat_id).catch((error: unknown) => {
    throw error instanceof AppError ? new AppError("MESSAGES_NOT_FOUND") : error;
  });
  if (note.view.author.id !== session.opening.userId)
    throw new AppError("FORBIDDEN", { description: "Only its author can change a note" });
  return note.view;
}

/** Open pages that run an earlier release ignore it: they know no message with this id. */
export function notifyEntry(
  { live }: HasLive,
  accountId: number,
  entry: { id: string; chat_id: string },
): void {
  live.notify({ accountId, about: "message", chat: entry.chat_id, subject: entry.id });
}

const SEARCH = sql(
  "chat_notes_search",
  `with hit as materialized (
     select * from chat_entries n
     where n.kind = 'note' and n.deleted_at is null
       and search_words(n.account_id, n.created_at, n.text) @@ search_query($1, $2::integer[], $3))
   select ${COLUMNS} from hit n where n.account_id = $1 and ($4::uuid[] is null or n.chat = any($4))
   order by n.created_at desc, n.id desc limit $5`,
);

/** Notes of these weeks (since 1970) with all words of a text, newest first. `chats` null: of all chats of the account. */
export async function findNotes(
  db: Queryable,
  accountId: number,
  wanted: {
    readonly weeks: readonly number[];
    readonly text: string;
    readonly chats: readonly string[] | null;
    readonly limit: number;
  },
): Promise<EntryView[]> {
  const { weeks, text, chats, limit } = wanted;
  const rows = await db.query<EntryRow & object>(SEARCH, [accountId, weeks, text, chats, limit]);
  return rows.map(entryView);
}
