import { type Database, type Queryable, sql } from "../../database/database.ts";
import { SEARCH_INDEX_LOCK } from "../../database/locks.ts";
import { isWritable } from "../writable-accounts.ts";

/**
 * Part of a statement: queues messages for the search index, about a second after the commit. `rows` selects
 * account_id and id. Messages without text need no entry unless they had text before.
 */
export function queueForSearch(rows: string): string {
  return `insert into search_queue (account_id, message_id) ${rows}`;
}

const LOCK = sql("search_index_lock", "select pg_advisory_xact_lock($1)");

/**
 * Locks out the indexer until the transaction ends. Call it before deleting messages, as a statement of its own, so
 * that no message is deleted between being read and being indexed.
 */
export async function lockSearchIndex(tx: Queryable): Promise<void> {
  await tx.query(LOCK, [SEARCH_INDEX_LOCK]);
}

/**
 * Part of a statement: removes messages from the search index. `rows` is the name of a table expression with
 * account_id and id. The transaction must have called `lockSearchIndex`.
 */
export function removeFromSearch(rows: string): string {
  return `delete from message_words w using ${rows} g
     where w.account_id = any(array[g.account_id]) and w.message_id = g.id`;
}

// A raw statement: it reads the whole queue on purpose, up to its limit. A message that is queued twice is
// indexed once, with its current text and chat.
const INDEX = `
  with taken as (
    delete from search_queue where ctid = any(array(
      select q.ctid from search_queue q where ${isWritable("q.account_id")} limit $1))
    returning account_id, message_id
  ), message as materialized (
    select t.account_id, t.message_id, m.chat, m.created_at, left(m.text, 10000) as text
    from (select distinct account_id, message_id from taken) t
    left join messages m on m.account_id = any(array[t.account_id]) and m.id = t.message_id
  ), gone as (
    delete from message_words w using message m
    where m.text is null and w.account_id = any(array[m.account_id]) and w.message_id = m.message_id
  ), stored as (
    insert into message_words (account_id, message_id, chat, created_at, text)
    select account_id, message_id, chat, created_at, text from message where text is not null
    order by account_id, created_at
    on conflict (account_id, message_id) do update set chat = excluded.chat, text = excluded.text
  )
  select count(*)::int as taken from taken`;
/** Expression: whether messages are queued. */
export const HAS_QUEUED = "(select true from search_queue limit 1)";
const MERGE = "select gin_clean_pending_list('message_words_text')";

/**
 * Indexes up to `limit` queued messages and returns how many it took. All or nothing: after a crash the same messages
 * are still queued. Concurrent callers wait for each other, so that an older text never replaces a newer one.
 */
export async function indexForSearch(db: Database, limit: number): Promise<number> {
  const taken = await db.bulk({ owner: "search index", rows: limit }, async (tx) => {
    // The next statement sees everything committed until now.
    await lockSearchIndex(tx);
    const [row] = await tx.query<{ taken: number }>(INDEX, [limit]);
    return row?.taken ?? 0;
  });
  if (taken > 0) await db.query(MERGE);
  return taken;
}
