import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { touchChats } from "../chat/order.ts";
import { isAnyAskedFor } from "../crm/asked.ts";
import { askForClients } from "../crm/creations.ts";
import { forgetUnanswered } from "../crm/unanswered-rows.ts";
import { jsonRows } from "../json-rows.ts";
import type { Fact, MessageFact } from "../payload/facts.ts";
import { applyKeptChanges, hasKeptChange } from "./early-changes.ts";
import { fillPlaceholders } from "./late-content.ts";
import { loadFacts } from "./load-facts.ts";
import { MESSAGE_INPUT, messageRow } from "./message-row.ts";
import { type InsertedRow, insertPlaced, type MessageRow, MISPLACED } from "./placement.ts";
import type { Located, LocatedMessage } from "./report.ts";
import type { Renamed } from "./report-chats.ts";
import { queueForSearch } from "./search-index.ts";

/** The chats of the rows. A chat that has another name by now is left as it is. */
const STORE_CHATS = `
     insert into chats (account_id, id, channel_id, chat_type, chat_id, name, username, phone, last_inbound_at, last_direct_at, avatar_file_id)
     select distinct on (chat) account_id, chat, channel_id, chat_type, chat_id, name, username, phone,
            max(sent_at) filter (where direction = 'in' and not is_notice) over (partition by chat),
            max(sent_at) filter (where direction = 'in' and not is_notice and not is_comment) over (partition by chat),
            max(picture_id::text) over (partition by chat)::uuid
     from input order by chat, ord desc
     on conflict (account_id, id) do update set
       name = coalesce(chats.contact_name, nullif(excluded.name, ''), chats.name),
       username = coalesce(excluded.username, chats.username),
       phone = coalesce(excluded.phone, chats.phone),
       last_inbound_at = greatest(excluded.last_inbound_at, chats.last_inbound_at),
       last_direct_at = greatest(excluded.last_direct_at, chats.last_direct_at),
       avatar_file_id = coalesce(excluded.avatar_file_id, chats.avatar_file_id)
     where chats.chat_id = excluded.chat_id
     returning id`;

/** The messages of these chats that are new. */
const ADD_MESSAGES = `
     insert into messages (account_id, id, channel_id, chat, direction, type, status, text, content, file_id,
                           quoted_id, quoted, sender, external_id, sent_at)
     select account_id, id, channel_id, chat, direction, type, status, text, content, file_id,
            (select q.id from messages q
             where q.account_id = i.account_id and q.chat = i.chat and q.external_id = i.quoted_external),
            quoted, sender, external_id, sent_at
     from input i where i.chat in (select id from people) order by ord
     on conflict (account_id, chat, external_id) where external_id is not null do nothing
     returning account_id, id, channel_id, chat, external_id, direction, sent_at, text is not null as has_text,
       direction = 'in' and not coalesce(content ?| array['isSystem', 'isHistory'], false) as is_from_client`;

/** An inbound message is unanswered unless an echo of the same chat follows; an echo answers all messages before it. */
const ADD_UNANSWERED = `
     insert into unanswered (account_id, chat, message_id, channel_id, at)
     select account_id, chat, id, channel_id, least(sent_at, now())
     from (select *, max(ord) filter (where direction = 'echo') over (partition by chat) as answered_at
           from (select *, row_number() over () as ord from added) a) b
     where is_from_client and ord > coalesce(answered_at, 0) and sent_at > now() - interval '7 days'`;

const ADD_FILES = `
     insert into files (account_id, id, channel_id, key, name, mime_type, size, state, source, message_id)
     select i.account_id, i.file_id, i.channel_id, i.file_key, i.file_name, i.file_mime, i.file_size, 'waiting', i.file_source, i.id
     from input i join added a on a.id = i.id where i.file_id is not null
     on conflict (account_id, id) do update set message_id = excluded.message_id`;

// Messages of a chat that has another name by now are returned as misplaced (`placement.ts`), except those that it
// already has.
const INSERT_MESSAGES = sql(
  "messages_record",
  `with input as materialized (
     select row_number() over () as ord, r.* from json_to_recordset($1::json) as r(${MESSAGE_INPUT}, picture_id uuid)
   ),
   people as (${STORE_CHATS}),
   added as (${ADD_MESSAGES}),
   waiting as (${ADD_UNANSWERED}),
   answered as (${forgetUnanswered("select distinct account_id, chat from added where direction = 'echo'")}),
   searched as (${queueForSearch("select account_id, id from added where has_text")}),
   ${touchChats("select account_id, chat, channel_id from added")},
   kept_files as (${ADD_FILES})
   select a.account_id, a.id, a.chat,
     a.is_from_client
       and exists (select 1 from crm_settings s where s.account_id = any(array[a.account_id]) and s.new_clients = 'in_turn')
       and ${isAnyAskedFor("a.account_id")}
       as may_be_new,
     ${hasKeptChange("a")} as is_changed, false as is_misplaced, null as named
   from added a
   union all
   select i.account_id, i.id, i.chat, false, false, true,
     (select c.chat_id from chats c where c.account_id = any(array[i.account_id]) and c.id = i.chat)
   ${MISPLACED}`,
);

interface AddedRow extends InsertedRow {
  readonly account_id: number;
  readonly chat: string;
  /** A message of a client, in an account that assigns new clients in rotation and asks its CRM for them. */
  readonly may_be_new: boolean;
  /** It was edited, deleted or reacted to before it arrived. */
  readonly is_changed: boolean;
}

/** Stores messages, each in the chat that has its name now. A report of a chat under another name is changed. */
export async function recordMessages(
  core: Base,
  tx: Queryable,
  run: readonly LocatedMessage[],
): Promise<{ readonly facts: readonly Fact[]; readonly renamed: readonly Renamed[] }> {
  const rows = run.map(messageRow);
  const index = new Map(rows.map(({ id }, index) => [id, index]));
  const placeOf = ({ id }: AddedRow): number => index.get(id) ?? 0;
  const { stored, chats } = await insertPlaced(rows, (some) =>
    tx.query<AddedRow>(INSERT_MESSAGES, [jsonRows(some)]),
  );
  const misplaced = run.filter((report, place) => putInto(report, chats.get(rows[place]?.id ?? "")));
  const added = stored.toSorted((a, b) => placeOf(a) - placeOf(b));
  const changed = added.filter((row) => row.is_changed).map(({ account_id, id }) => ({ account_id, id }));
  // Before the facts are loaded, so that receivers get one item.
  const reactions = changed.length > 0 ? await applyKeptChanges(core, tx, changed) : [];
  const keys = added.map((row) => ({ accountId: row.account_id, id: row.id }));
  const messages = await loadFacts(tx, core.settings.publicUrl, keys);
  const repeated = added.length === rows.length ? [] : repeatedOf(rows, added, chats);
  const late = await fillPlaceholders(tx, core.settings.publicUrl, repeated);
  const wrote = added
    .filter((row) => row.may_be_new)
    .map((row) => ({ accountId: row.account_id, chat: row.chat, trigger: { kind: "wrote" } as const }));
  const facts = [
    ...messages.map((message) => ({ kind: "message", message, isNew: true }) as const),
    ...late.map(messageChanged),
    ...reactions,
    ...(await askForClients(tx, wrote)),
  ];
  return { facts, renamed: misplaced.map((report) => ({ report, chatId: report.event.message.chatId })) };
}

/** Returns whether the chat is another one than expected. */
function putInto(report: Located, chat: string | undefined): boolean {
  if (chat === undefined || chat === report.chat) return false;
  report.chat = chat;
  return true;
}

/** The rows that were already stored, each with the chat that the insertion found for it. */
function repeatedOf(
  rows: readonly MessageRow[],
  added: readonly AddedRow[],
  chats: ReadonlyMap<string, string>,
): MessageRow[] {
  const ids = new Set(added.map(({ id }) => id));
  return rows.flatMap((row) => (ids.has(row.id) ? [] : [{ ...row, chat: chats.get(row.id) ?? row.chat }]));
}

function messageChanged(message: MessageFact): Fact {
  return { kind: "message", message };
}
