import { type Queryable, sql } from "../../database/database.ts";
import type { IncomingContent } from "../content.ts";
import { jsonRows } from "../json-rows.ts";
import type { MessageFact } from "../payload/facts.ts";
import { loadFacts } from "./load-facts.ts";
import { queueForSearch } from "./search-index.ts";

/** A reported message as columns; `message-row.ts` describes the others. */
export interface ReportedMessage {
  readonly id: string;
  readonly content: IncomingContent | undefined;
}

// A text that was edited meanwhile stays, since edits may arrive before the content that they change. The time of the
// edit is that of the message, so that every genuine edit is later. A message that came live stays so, even if a history
// has its content.
const FILL = sql(
  "messages_late_content",
  `with input as materialized (
     select row_number() over () as ord, r.* from json_to_recordset($1::json) as r(
       account_id bigint, channel_id uuid, chat uuid, type text, text text, content jsonb, file_id uuid, file_key text,
       file_name text, file_mime text, file_size bigint, file_source jsonb, quoted_external text, quoted jsonb,
       external_id text)
   ), awaited as materialized (
     select i.*,
       (select m.id from messages m
        where m.account_id = i.account_id and m.chat = i.chat and m.external_id = i.external_id
          and m.content ? 'awaited' and m.deleted_at is null) as message_id
     from input i
   ), filled as (
     update messages m set type = i.type, file_id = i.file_id, quoted = i.quoted,
       content = case when m.content ? 'isHistory' then i.content else i.content - 'isHistory' end,
       text = case when m.edited_at is null then i.text else m.text end,
       edited_at = coalesce(m.edited_at, m.sent_at),
       quoted_id = (select q.id from messages q
                    where q.account_id = i.account_id and q.chat = i.chat and q.external_id = i.quoted_external)
     from awaited i where m.account_id = any(array[i.account_id]) and m.id = i.message_id
     returning m.account_id, m.id, i.ord
   ), searched as (${queueForSearch("select account_id, id from filled")}), kept_files as (
     insert into files (account_id, id, channel_id, key, name, mime_type, size, state, source, message_id)
     select i.account_id, i.file_id, i.channel_id, i.file_key, i.file_name, i.file_mime, i.file_size, 'waiting', i.file_source, f.id
     from input i join filled f on f.ord = i.ord where i.file_id is not null
   )
   select account_id, id from filled order by ord`,
);

/**
 * Stores the content of messages that were reported before without it (`isAwaited`), and returns these. Other repeated
 * reports change nothing. Receivers get an edit, because they may ignore a message whose id they know.
 */
export async function fillPlaceholders(
  tx: Queryable,
  publicUrl: string,
  repeated: readonly ReportedMessage[],
): Promise<MessageFact[]> {
  const rows = repeated.filter(({ content }) => content?.awaited !== true);
  if (rows.length === 0) return [];
  const filled = await tx.query<{ account_id: number; id: string }>(FILL, [jsonRows(rows)]);
  return loadFacts(
    tx,
    publicUrl,
    filled.map(({ account_id: accountId, id }) => ({ accountId, id })),
  );
}
