import { type Queryable, sql } from "../../database/database.ts";
import { safeName } from "../../platform/file/download-name.ts";
import { newId, newSecret } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { columnsOf, storedName } from "../content.ts";
import { jsonValue } from "../json-rows.ts";
import type { Fact } from "../payload/facts.ts";
import type { MessageBody, TransportEvent } from "../transport/events.ts";
import { authorNameOf } from "./author-name.ts";
import { loadFacts } from "./load-facts.ts";
import { queueForSearch } from "./search-index.ts";
import { wholeTextRange } from "./whole-text-id.ts";

/** A change of a message that its messenger reports. */
export type MessageChange = Extract<TransportEvent, { kind: "edited" | "deleted" }>;

export interface ChangeReport {
  readonly accountId: number;
  readonly channelId: string;
  readonly chat: string;
  readonly event: MessageChange;
}

const IS_KNOWN = sql(
  "message_is_known",
  "select true from messages where account_id = $1 and chat = $2 and external_id = $3 limit 1",
);

/**
 * Records a change in the caller's transaction and returns what to publish; null if the message is not known. An edit
 * without content is none, so that nothing that a person wrote is wiped. Idempotent.
 */
export async function recordMessageChange(
  core: Base,
  tx: Queryable,
  report: ChangeReport,
): Promise<readonly Fact[] | null> {
  const { accountId, chat, event } = report;
  if (event.kind === "edited" && !hasContent(event.body)) return [];
  const facts =
    event.kind === "edited"
      ? await recordEdit(core, tx, report, event)
      : await recordRemoval(core, tx, report);
  if (facts.length > 0) return facts;
  const known = await tx.query(IS_KNOWN, [accountId, chat, event.ref.externalId]);
  return known.length > 0 ? [] : null;
}

function hasContent(body: MessageBody): boolean {
  return body.type === "media" || (columnsOf(body).text ?? "").trim() !== "";
}

/**
 * Expression: what an edit or deletion of the row `m` of a message replaces. `file`: the row of its file, if the file is
 * replaced.
 */
const oldInfo = (m: string, file?: string): string => `jsonb_strip_nulls(jsonb_build_object(
  'oldText', ${m}.text, 'oldAuthorId', ${m}.author_id, 'oldAuthorName', ${authorNameOf(m)}
  ${
    file === undefined
      ? ""
      : `, 'oldContentUri', case when ${file}.is_new then ${m}.content -> 'attachment' ->> 'url' end,
  'oldFile', case when ${file}.is_new and ${file}.key is not null then jsonb_build_object('key', ${file}.key, 'name', ${file}.name) end`
  }))`;

// An edit of ours that may have been sent and has no outcome yet may be reported by a session that does not know of it,
// because an earlier session sent it. Its outcome will tell. A file is another one if neither its token nor its size and
// name are those of the stored one: messengers may give a file another token each time.
const EDIT = sql(
  "message_edited",
  `with present as materialized (
     select m.id, f.key, f.name, $6::text is not null and (m.type <> $6::text or not coalesce(
       f.source ->> 'token' = $7::jsonb -> 'source' ->> 'token'
       or (f.source ->> 'size' = $7::jsonb -> 'source' ->> 'size'
           and coalesce(f.source ->> 'name', '') = coalesce($7::jsonb -> 'source' ->> 'name', '')), false)) as is_new
     from messages m left join files f on f.account_id = any(array[m.account_id]) and f.id = m.file_id
     where m.account_id = $1 and m.chat = $2 and m.external_id = $3
   ), edited as (
     update messages m set text = $4, edited_at = $5, old_info = ${oldInfo("m", "p")},
       type = case when p.is_new then $6 else m.type end,
       file_id = case when p.is_new then ($7::jsonb ->> 'id')::uuid else m.file_id end,
       content = case when p.is_new then m.content - 'attachment' else m.content end
     from present p
     where m.account_id = $1 and m.id = p.id and m.deleted_at is null
       and (m.text is distinct from $4 or p.is_new)
       and (m.edited_at is null or m.edited_at <= $5)
       and (select true from send_jobs j
            where j.account_id = $1 and j.channel_id = m.channel_id and j.chat = $2 and j.message_id = m.id
              and j.kind = 'edit' and j.unsure_since is not null and j.change ->> 'text' = $4 limit 1) is null
     returning m.account_id, m.id, m.direction, m.channel_id, p.is_new
   ), searched as (${queueForSearch("select account_id, id from edited")}), kept_file as (
     insert into files (account_id, id, channel_id, key, name, mime_type, size, state, source, message_id)
     select e.account_id, f.id, e.channel_id, f.key, f.name, f.mime_type, f.size, 'waiting', f.source, e.id
     from edited e cross join jsonb_to_record($7::jsonb) as f(
       id uuid, key text, name text, mime_type text, size bigint, source jsonb)
     where e.is_new
   )
   select id, direction, channel_id from edited`,
);
const ADVANCE_STATUS_AT = sql(
  "message_status_at",
  `update messages set status_at = greatest(status_at, $3::timestamptz)
   where account_id = $1 and id = $2 returning status_at`,
);

/**
 * An edit by the customer is a `messages` item; an edit of our message in the messenger itself is the status
 * `edited`.
 */
async function recordEdit(
  core: Base,
  tx: Queryable,
  { accountId, chat }: ChangeReport,
  { ref, body, at: editedAt }: Extract<MessageChange, { kind: "edited" }>,
): Promise<Fact[]> {
  const { type, text } = columnsOf(body);
  const file = fileOf(body);
  const values = [accountId, chat, ref.externalId, text, editedAt];
  const [row] = await tx.query<{ id: string; direction: string; channel_id: string }>(EDIT, [
    ...values,
    file === null ? null : type,
    file === null ? null : jsonValue(file),
  ]);
  if (row === undefined) return [];
  const messages = await loadFacts(tx, core.settings.publicUrl, [{ accountId, id: row.id }]);
  if (row.direction === "in") return messages.map((message) => ({ kind: "message", message }));
  const now = core.clock.now();
  const [told] = await tx.query<{ status_at: Date }>(ADVANCE_STATUS_AT, [accountId, row.id, now]);
  const at = told?.status_at ?? now;
  const requestId = row.direction === "out" ? row.id : null;
  const of = { accountId, messageId: row.id, requestId, channelId: row.channel_id, chat };
  const status = { ...of, status: "edited", at, error: null } as const;
  return messages.map((message) => ({ kind: "edited elsewhere", message, status }));
}

/** Columns of a new file; only a body with a file can replace one. */
function fileOf(body: MessageBody): object | null {
  if (body.type !== "media") return null;
  const { file } = body;
  return {
    id: newId(),
    key: newSecret(24),
    name: storedName({ ...file, name: safeName(file.name ?? "") }, body.media),
    mime_type: file.mimeType,
    size: file.size,
    source: file,
  };
}

// With the items that have the whole text of a message that was cut, and of its edits.
const REMOVE = sql(
  "message_deleted",
  `update messages m set deleted_at = $4, old_info = ${oldInfo("m")}
   where account_id = $1 and deleted_at is null and id = any(array(
     select id from messages where account_id = $1 and chat = $2 and external_id = $3
     union all
     select id from messages where account_id = $1 and chat = $2
       and external_id >= $5 and external_id < $6 and starts_with(external_id, $5)))
   returning id`,
);

async function recordRemoval(
  core: Base,
  tx: Queryable,
  { accountId, chat, event: { ref, at } }: ChangeReport,
): Promise<Fact[]> {
  const values = [accountId, chat, ref.externalId, at, ...wholeTextRange(ref.externalId)];
  const rows = await tx.query<{ id: string }>(REMOVE, values);
  const keys = rows.map(({ id }) => ({ accountId, id }));
  const messages = await loadFacts(tx, core.settings.publicUrl, keys);
  return messages.map((message) => ({ kind: "message", message }));
}
