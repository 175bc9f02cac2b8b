import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { jsonRows } from "../json-rows.ts";
import { applyKeptChanges, hasKeptChange } from "../message/early-changes.ts";
import { fillPlaceholders } from "../message/late-content.ts";
import { MESSAGE_INPUT, messageRow } from "../message/message-row.ts";
import { type InsertedRow, insertPlaced, MISPLACED } from "../message/placement.ts";
import type { LocatedMessage } from "../message/report.ts";
import { queueForSearch } from "../message/search-index.ts";
import type { Fact } from "../payload/facts.ts";
import type { HistoryMessage } from "../transport/events.ts";
import { PLACE_CHATS, STORE_CHATS } from "./history-chats.ts";

// As `messages_record`, but in the messenger's order: `created_at`, by which a thread is read, is the messenger's time.
// Nothing becomes unanswered, and a chat moves in the list only if it has no later message. Files are fetched when
// somebody opens them ('infinity', see `files.ts`). Rows that others hold are not waited for.
const INSERT_HISTORY = sql(
  "history_store",
  `with input as materialized (
     select row_number() over () as ord, r.* from json_to_recordset($1::json) as r(
       ${MESSAGE_INPUT})
   ), ${STORE_CHATS}, added as (
     insert into messages (account_id, id, channel_id, chat, direction, type, status, text, content, file_id,
                           quoted_id, quoted, sender, external_id, sent_at, created_at)
     select account_id, id, channel_id, chat, direction, type, status, text, content, file_id,
            (select q.id from messages q
             where q.account_id = i.account_id and q.chat = i.chat and q.external_id = i.quoted_external),
            quoted, sender, external_id, sent_at, sent_at - $2::integer * interval '1 microsecond'
     from input i where i.chat in (select id from people) order by ord
     on conflict (account_id, chat, external_id) where external_id is not null do nothing
     returning account_id, id, channel_id, chat, external_id, sent_at, text is not null as has_text
   ), searched as (
     ${queueForSearch("select account_id, id from added where has_text")}
   ), ${PLACE_CHATS}, kept_files as (
     insert into files (account_id, id, channel_id, key, name, mime_type, size, state, source, message_id, due)
     select i.account_id, i.file_id, i.channel_id, i.file_key, i.file_name, i.file_mime, i.file_size, 'waiting',
            i.file_source, i.id, 'infinity'
     from input i join added a on a.id = i.id where i.file_id is not null
   )
   select a.account_id, a.id, ${hasKeptChange("a")} as is_changed, false as is_misplaced, null as named from added a
   union all
   select i.account_id, i.id, false, true,
     (select c.chat_id from chats c where c.account_id = any(array[i.account_id]) and c.id = i.chat)
   ${MISPLACED}`,
);

export interface StoredHistory {
  /** How many messages are new. */
  readonly count: number;
  readonly facts: readonly Fact[];
}

interface StoredRow extends InsertedRow {
  readonly account_id: number;
  /** It was edited or deleted before it was imported. */
  readonly is_changed: boolean;
}

/**
 * Stores messages of one channel's history in the caller's transaction. Messages that are known stay as they are,
 * except those that were reported without their content. Later batches have older messages of a
 * chat: of those of the same second, the message of the batch with the higher number is earlier.
 */
export async function storeHistory(
  core: Base,
  tx: Queryable,
  messages: readonly LocatedMessage[],
  batch: number,
): Promise<StoredHistory> {
  if (messages.length === 0) return { count: 0, facts: [] };
  const rows = inOrder(messages).map(rowOf);
  const { stored } = await insertPlaced(rows, (some) =>
    tx.query<StoredRow>(INSERT_HISTORY, [jsonRows(some), batch]),
  );
  const changed = stored.filter((row) => row.is_changed).map(({ account_id, id }) => ({ account_id, id }));
  if (changed.length > 0) await applyKeptChanges(core, tx, changed);
  const ids = new Set(stored.map(({ id }) => id));
  const repeated = rows.filter(({ id }) => !ids.has(id));
  const filled = await fillPlaceholders(tx, core.settings.publicUrl, repeated);
  return { count: stored.length, facts: filled.map((message) => ({ kind: "message", message })) };
}

/** Ids of one batch grow with the messenger's time, as those of live messages do. */
function inOrder(messages: readonly LocatedMessage[]): LocatedMessage[] {
  return messages.toSorted((a, b) => a.event.message.sentAt.getTime() - b.event.message.sentAt.getTime());
}

function rowOf(message: LocatedMessage): ReturnType<typeof messageRow> {
  const row = messageRow(message);
  const { status } = message.event.message as HistoryMessage;
  return status === undefined || message.event.message.direction === "in" ? row : { ...row, status };
}
