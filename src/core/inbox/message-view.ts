import { type Queryable, sql } from "../../database/database.ts";
import { type SnakeKeys, withSnakeKeys } from "../../platform/foreign/snake-case.ts";
import type { Base } from "../base.ts";
import { mediaKindOf } from "../content.ts";
import { isFileUrl } from "../file/file-url.ts";
import { isAsleep } from "../file/files.ts";
import { FACT_COLUMNS, FACT_TABLES, factOf } from "../message/load-facts.ts";
import { MESSAGE_BYTES } from "../message/message-bytes.ts";
import type { InteractiveItem, MessageFact } from "../payload/facts.ts";
import type { MediaKind } from "../transport/definition.ts";
import type { MessageExtras, MessageStatus, MessageType } from "../transport/message.ts";
import { changesOf, type MessageChanges } from "./changes.ts";
import { type FilledTemplate, filledTemplate } from "./filled-template.ts";
import type { FileState, MessageRow, ReactionView } from "./message-row.ts";

/** A message in a thread. */
export interface MessageView extends MessageChanges, SnakeKeys<MessageExtras> {
  readonly id: string;
  readonly chat_id: string;
  readonly channel_id: string;
  /** The id that the writing page gave the message. */
  readonly client_id: string | null;
  /** Sort key within a thread: text of fixed length. Messages with equal keys are sorted by id. */
  readonly order: string;
  readonly at: string;
  readonly direction: "in" | "out" | "echo";
  readonly type: MessageType;
  readonly status: MessageStatus;
  readonly error: { readonly code: string; readonly description: string } | null;
  readonly text: string | null;
  /** For `unsupported` messages: the kind, such as `poll`, if known. */
  readonly unsupported: string | null;
  readonly file: FileView | null;
  readonly author: { readonly id: string | null; readonly name: string | null } | null;
  readonly from_app: boolean;
  readonly sender: { readonly id: string; readonly name: string } | null;
  readonly buttons: InteractiveItem[];
  readonly quoted: QuotedView | null;
  readonly template: FilledTemplate | null;
  readonly reactions: ReactionView[];
  readonly edited_at: string | null;
  readonly deleted_at: string | null;
  readonly old: {
    readonly text: string | null;
    readonly author_id: string | null;
    readonly author_name: string | null;
    /** Address of the file that an edit replaced. */
    readonly file_url: string | null;
  } | null;
}

interface FileView {
  readonly url: string;
  readonly name: string | null;
  readonly mime_type: string | null;
  readonly size: number | null;
  readonly kind: MediaKind;
  /** It is on another host; our pages do not load it. */
  readonly is_external: boolean;
  readonly state: FileState;
}

interface QuotedView {
  readonly id: string | null;
  readonly type: MessageType;
  readonly text: string | null;
  readonly author_name: string | null;
  readonly direction: "in" | "out" | "echo" | null;
  readonly file_url: string | null;
  /** For `unsupported` messages: the kind, such as `story`, if known. */
  readonly unsupported: string | null;
  /** Address where a browser shows it, possibly for a limited time. */
  readonly link: string | null;
}

const FROM_PAGE = "page:";

/** The idempotency key under which a message from a page is stored, and back. */
export function pageKeyOf(clientId: string): string {
  return FROM_PAGE + clientId;
}

function clientIdOf(key: string | null): string | null {
  return key?.startsWith(FROM_PAGE) === true ? key.slice(FROM_PAGE.length) : null;
}

/** Pages show the beginning of a quoted text. Characters. */
const QUOTED_LENGTH = 1_000;
const QUOTED_COLUMNS: readonly (readonly [webhooks: string, pages: string])[] = [
  ["q.text as q_text", `left(q.text, ${QUOTED_LENGTH}) as q_text`],
  ["q.old_info as q_old_info", "null::jsonb as q_old_info"],
];

/** Of large groups, a page shows only some. */
const MAX_REACTIONS = 50;

/**
 * Part of a statement: columns of a `MessageRow`, and the tables they are read from, for the rows `m` of messages.
 */
export const MESSAGE_COLUMNS = `${QUOTED_COLUMNS.reduce((all, pair) => all.replace(...pair), FACT_COLUMNS)},
  (extract(epoch from m.created_at) * 1000000)::bigint as placed_at,
  m.crm_message_id, h.transport, h.status = 'active' and h.deleted_at is null as channel_active, m.delivered_at,
  case when ${isAsleep("f")} then 'stored' else f.state end as file_state,
  (select json_agg(json_build_object('emoji', r.emoji, 'name', r.name, 'is_ours', r.person = '') order by r.at, r.person)
   from (select * from message_reactions r
         where r.account_id = any(array[m.account_id]) and r.message_id = any(array[m.id]) and r.emoji is not null
         order by r.person limit ${MAX_REACTIONS}) r) as reactions,
  (select t.components from templates t
   where t.account_id = m.account_id and t.id = (m.content #>> '{template,id}')::uuid) as components`;
export const MESSAGE_TABLES = `${FACT_TABLES}
  join channels h on h.account_id = any(array[m.account_id]) and h.id = any(array[m.channel_id])`;

/** `cut_at`: the first message that was left out because of the limit of bytes. */
type LoadedRow = MessageRow & { readonly cut_at: string | null };

const LOAD = sql(
  "inbox_messages",
  `with p as materialized (
     select m.id, k.ord, sum(${MESSAGE_BYTES}) over (order by k.ord) - ${MESSAGE_BYTES} as bytes_before
     from unnest($2::uuid[]) with ordinality as k(id, ord)
     join messages m on m.account_id = $1 and m.id = k.id)
   select ${MESSAGE_COLUMNS}, (select o.id from p o where o.bytes_before >= $3 order by o.ord limit 1) as cut_at
   from p join messages m on m.account_id = $1 and m.id = any(array[p.id])
   ${MESSAGE_TABLES} where p.bytes_before < $3 order by p.ord`,
);

const BY_KEY = sql(
  "inbox_message_by_key",
  `select ${MESSAGE_COLUMNS} from messages m ${MESSAGE_TABLES}
   where m.account_id = $1 and m.crm_message_id = $2 order by m.id limit 1`,
);

/** The message that a page wrote under this id; null: there is none. */
export async function findByClientId(
  db: Queryable,
  accountId: number,
  clientId: string,
): Promise<MessageRow | null> {
  const [row] = await db.query<MessageRow>(BY_KEY, [accountId, pageKeyOf(clientId)]);
  return row ?? null;
}

/**
 * The account's messages with these ids, in their order; unknown ones are omitted. Stops after the message with which
 * they exceed `maxBytes` of text; `cutAt` is then the id of the next one.
 */
export async function loadMessages(
  db: Queryable,
  accountId: number,
  ids: readonly string[],
  maxBytes: number,
): Promise<{ readonly rows: readonly MessageRow[]; readonly cutAt: string | null }> {
  const rows = ids.length === 0 ? [] : await db.query<LoadedRow>(LOAD, [accountId, ids, maxBytes]);
  return { rows, cutAt: rows[0]?.cut_at ?? null };
}

/** The account's message with this id; undefined: there is none. */
export async function loadMessage(
  db: Queryable,
  accountId: number,
  id: string,
): Promise<MessageRow | undefined> {
  const { rows } = await loadMessages(db, accountId, [id], 1);
  return rows[0];
}

/** The current state of a message for pages. */
export function messageView(
  core: Pick<Base, "settings" | "transports" | "clock">,
  row: MessageRow,
): MessageView {
  const { publicUrl } = core.settings;
  const fact = factOf(row, publicUrl);
  const { sentAt, error, oldInfo } = fact;
  const author = { id: fact.authorId, name: fact.authorName };
  return {
    id: row.id,
    chat_id: row.chat,
    channel_id: row.channel_id,
    client_id: clientIdOf(row.crm_message_id),
    order: String(row.placed_at).padStart(17, "0"),
    at: sentAt.toISOString(),
    direction: row.direction,
    type: fact.type,
    status: fact.status,
    error: error === null ? null : { code: error.code, description: error.description },
    text: fact.text,
    unsupported: row.content?.unsupported ?? null,
    file: fileView(row, fact, core.settings.installationUrl),
    author: author.id === null && author.name === null ? null : author,
    from_app: fact.sentFromApp,
    sender: fact.sender,
    buttons: [...fact.interactive],
    quoted: quotedView(row, fact),
    ...withSnakeKeys(fact.extras),
    template: filledTemplate(row),
    reactions: [...(row.reactions ?? [])],
    edited_at: row.edited_at?.toISOString() ?? null,
    deleted_at: row.deleted_at?.toISOString() ?? null,
    old:
      oldInfo === null
        ? null
        : {
            text: oldInfo.oldText ?? null,
            author_id: oldInfo.oldAuthorId ?? null,
            author_name: oldInfo.oldAuthorName ?? null,
            file_url: oldInfo.oldContentUri ?? null,
          },
    ...changesOf(core, row),
  };
}

function fileView(
  row: MessageRow,
  { contentUri, file, type }: MessageFact,
  installationUrl: string,
): FileView | null {
  if (contentUri === null) return null;
  const { name, mimeType, size } = file;
  return {
    url: contentUri,
    name,
    mime_type: mimeType,
    size,
    kind: kindOf(type) ?? mediaKindOf({ mimeType: mimeType ?? "", name: name ?? "", url: contentUri }),
    is_external: !isFileUrl(installationUrl, contentUri),
    state: row.file_state ?? "stored",
  };
}

function kindOf(type: MessageType): MediaKind | null {
  return type === "image" || type === "audio" || type === "video" || type === "document" ? type : null;
}

function quotedView(row: MessageRow, { quoted }: MessageFact): QuotedView | null {
  if (quoted === null) return null;
  return {
    id: quoted.messageId,
    type: quoted.type,
    text: quoted.text?.slice(0, QUOTED_LENGTH).toWellFormed() ?? null,
    author_name: quoted.authorName,
    direction: row.q_direction,
    file_url: quoted.contentUri,
    unsupported: (quoted.messageId === null ? row.quoted?.unsupported : null) ?? null,
    link: (quoted.messageId === null ? row.quoted?.link : null) ?? null,
  };
}
