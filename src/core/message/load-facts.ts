import { type Queryable, sql } from "../../database/database.ts";
import { publicChatId } from "../chat/nickname.ts";
import type { IncomingContent, OutgoingContent } from "../content.ts";
import { fileUrl } from "../file/file-url.ts";
import { jsonRows } from "../json-rows.ts";
import type {
  InteractiveItem,
  MessageDetails,
  MessageError,
  MessageFact,
  OldInfo,
  QuotedFact,
} from "../payload/facts.ts";
import type { ChatType } from "../transport/definition.ts";
import type { Keyboard } from "../transport/keyboard.ts";
import { extrasOf, type MessageExtras, type MessageStatus, type MessageType } from "../transport/message.ts";

/** A row of the statement below: a message with its chat, its file and the message that it quotes (`q_`). */
export interface FactRow {
  readonly account_id: number;
  readonly id: string;
  readonly channel_id: string;
  readonly chat: string;
  readonly chat_type: ChatType;
  readonly chat_id: string;
  readonly contact_name: string;
  readonly username: string | null;
  readonly phone: string | null;
  readonly direction: "in" | "out" | "echo";
  readonly type: MessageType;
  readonly status: MessageStatus;
  readonly error: MessageError | null;
  readonly text: string | null;
  readonly content: (Partial<OutgoingContent> & IncomingContent) | null;
  readonly file_key: string | null;
  readonly file_name: string | null;
  readonly file_mime: string | null;
  readonly file_size: number | null;
  readonly avatar_key: string | null;
  readonly avatar_name: string | null;
  readonly author_id: string | null;
  readonly author_name: string | null;
  readonly sender: { readonly id: string; readonly name: string } | null;
  readonly sent_at: Date;
  readonly edited_at: Date | null;
  readonly deleted_at: Date | null;
  readonly old_info: StoredOldInfo | null;
  readonly quoted: StoredQuote | null;
  readonly quoted_id: string | null;
  readonly q_type: MessageType | null;
  readonly q_status: MessageStatus | null;
  readonly q_text: string | null;
  readonly q_direction: "in" | "out" | "echo" | null;
  readonly q_error: MessageError | null;
  readonly q_content: FactRow["content"];
  readonly q_author_id: string | null;
  readonly q_author_name: string | null;
  readonly q_sender: FactRow["sender"];
  readonly q_sent_at: Date | null;
  readonly q_edited_at: Date | null;
  readonly q_deleted_at: Date | null;
  readonly q_old_info: StoredOldInfo | null;
  readonly q_file_key: string | null;
  readonly q_file_name: string | null;
}

/** As stored in `messages.old_info`: the link to a file of ours follows from its key. */
type StoredOldInfo = OldInfo & { readonly oldFile?: { readonly key: string; readonly name: string } };

/** The messenger's description of a quoted message that we never stored; kept in `messages.quoted`. */
export interface StoredQuote {
  readonly externalId: string;
  readonly type: MessageType;
  readonly text: string | null;
  /** The part of the text that the reply is about. */
  readonly part?: string;
  readonly authorName?: string;
  /** For `unsupported` bodies: what it was, such as `story`. */
  readonly unsupported?: string;
  /** The address where a browser shows it, for as long as the messenger keeps it. */
  readonly link?: string;
}

/** Part of a statement: the columns of a message fact; `m` is the row of the message. */
export const FACT_COLUMNS = `m.account_id, m.id, m.channel_id, m.chat, c.chat_type, c.chat_id, c.name as contact_name, c.username, c.phone,
          m.direction, m.type, m.status, m.error, m.text, m.content, f.key as file_key, f.name as file_name,
          f.mime_type as file_mime, f.size as file_size, a.key as avatar_key, a.name as avatar_name,
          m.author_id, m.author_name, m.sender, m.sent_at, m.edited_at, m.deleted_at, m.old_info, m.quoted, m.quoted_id,
          q.type as q_type, q.status as q_status, q.text as q_text, q.direction as q_direction,
          q.error as q_error, q.content as q_content, q.author_id as q_author_id, q.author_name as q_author_name,
          q.sender as q_sender, q.sent_at as q_sent_at, q.edited_at as q_edited_at, q.deleted_at as q_deleted_at,
          q.old_info as q_old_info, qf.key as q_file_key, qf.name as q_file_name`;
/** The tables of these columns. */
export const FACT_TABLES = `join chats c on c.account_id = any(array[m.account_id]) and c.id = m.chat
   left join files f on f.account_id = any(array[m.account_id]) and f.id = m.file_id
   left join files a on a.account_id = any(array[c.account_id]) and a.id = c.avatar_file_id and a.state = 'stored'
   left join messages q on q.account_id = any(array[m.account_id]) and q.id = m.quoted_id
   left join files qf on qf.account_id = any(array[q.account_id]) and qf.id = q.file_id`;

const LOAD = sql(
  "message_facts",
  `select ${FACT_COLUMNS}
   from json_to_recordset($1::json) as k(ord int, account_id bigint, id uuid)
   join messages m on m.account_id = any(array[k.account_id]) and m.id = k.id
   ${FACT_TABLES}
   order by k.ord`,
);

/** Messages as webhooks show them, in the order of the keys; missing ones are left out. */
export async function loadFacts(
  db: Queryable,
  publicUrl: string,
  keys: readonly { readonly accountId: number; readonly id: string }[],
): Promise<MessageFact[]> {
  if (keys.length === 0) return [];
  const rows = await db.query<FactRow>(LOAD, [
    jsonRows(keys.map(({ accountId, id }, ord) => ({ ord, account_id: accountId, id }))),
  ]);
  return rows.map((row) => factOf(row, publicUrl));
}

/** Pure. `publicUrl` is the base of links to stored files. */
export function factOf(row: FactRow, publicUrl: string): MessageFact {
  return {
    accountId: row.account_id,
    messageId: row.id,
    channelId: row.channel_id,
    chat: row.chat,
    chatType: row.chat_type,
    chatId: publicChatId({ chatType: row.chat_type, chatId: row.chat_id }),
    sentAt: row.sent_at,
    type: row.type,
    status: row.status,
    text: row.text,
    contentUri: row.content?.attachment?.url ?? fileUrl(publicUrl, row.file_key, row.file_name),
    file: fileOf(row),
    isEcho: row.direction !== "in",
    authorName: row.author_name,
    contact: contactOf(row, publicUrl),
    quoted: quotedOf(row, publicUrl),
    ...detailsOf(row, publicUrl),
  };
}

const NO_EXTRAS: MessageExtras = {};

type DetailRow = Pick<
  FactRow,
  "status" | "error" | "content" | "author_id" | "sender" | "edited_at" | "deleted_at" | "old_info"
>;

function detailsOf({ status, error, content, ...row }: DetailRow, publicUrl: string): MessageDetails {
  return {
    error: status === "error" ? error : null,
    sentFromApp: content?.fromApp === true,
    authorId: row.author_id,
    extras: content === null ? NO_EXTRAS : extrasOf(content),
    interactive: interactiveOf(content),
    sender: row.sender,
    isEdited: row.edited_at !== null,
    isDeleted: row.deleted_at !== null,
    oldInfo: row.old_info === null ? null : oldInfoOf(row.old_info, publicUrl),
  };
}

function oldInfoOf({ oldFile, ...info }: StoredOldInfo, publicUrl: string): OldInfo {
  const uri = oldFile === undefined ? null : fileUrl(publicUrl, oldFile.key, oldFile.name);
  return uri === null ? info : { ...info, oldContentUri: uri };
}

function contactOf(row: FactRow, publicUrl: string): MessageFact["contact"] {
  return {
    name: row.contact_name || nameless(row),
    username: row.username,
    phone: row.phone,
    avatarUri: fileUrl(publicUrl, row.avatar_key, row.avatar_name),
    profileId: row.content?.profileId ?? null,
  };
}

/**
 * The author of a message always has a name in webhooks: the best that is known. A recipient without a name has none.
 */
function nameless({ direction, username, chat_id }: FactRow): string {
  return direction === "in" ? (username ?? chat_id) : "";
}

function fileOf({ content, file_name, file_mime, file_size }: FactRow): MessageFact["file"] {
  if (content?.attachment === undefined) return { name: file_name, mimeType: file_mime, size: file_size };
  const { name = null, mimeType = null, size = null } = content.attachment;
  return { name, mimeType, size };
}

function interactiveOf(content: FactRow["content"]): InteractiveItem[] {
  if (content === null) return [];
  const { pressed, answers = [], keyboard } = content;
  return [
    ...(pressed === undefined ? [] : [{ type: "pressed", ...pressed }]),
    ...answers,
    ...(keyboard === undefined ? [] : buttonsOf(keyboard)),
  ];
}

function buttonsOf(keyboard: Keyboard): InteractiveItem[] {
  switch (keyboard.kind) {
    case "inline":
      return keyboard.rows
        .flat()
        .map((button) => ({ type: button.url === undefined ? "callback" : "link", ...button }));
    case "reply":
      return keyboard.rows.flat().map(({ text }) => ({ type: "text", text }));
    case "interactive":
      return keyboard.buttons.map((button) => ({ type: "text", ...button }));
    case "rows":
      return keyboard.rows.flat().map(({ intent: _intent, ...button }) => button);
    case "remove":
      return [];
  }
}

/** What is not known of a message that only the messenger has. */
const UNKNOWN = {
  messageId: null,
  status: null,
  details: null,
  contact: null,
  contentUri: null,
  isEcho: null,
  sentAt: null,
};

function quotedOf(row: FactRow, publicUrl: string): QuotedFact | null {
  const { quoted_id: messageId, q_type: type, q_status: status, q_direction: direction } = row;
  if (messageId !== null && type !== null && status !== null && direction !== null) {
    const content = row.q_content;
    return {
      messageId,
      type,
      status,
      details: detailsOf(
        {
          status,
          content,
          error: row.q_error,
          author_id: row.q_author_id,
          sender: row.q_sender,
          edited_at: row.q_edited_at,
          deleted_at: row.q_deleted_at,
          old_info: row.q_old_info,
        },
        publicUrl,
      ),
      // A quoted message is of the same chat.
      contact: contactOf({ ...row, direction, content }, publicUrl),
      text: row.quoted?.part ?? row.q_text,
      contentUri: content?.attachment?.url ?? fileUrl(publicUrl, row.q_file_key, row.q_file_name),
      isEcho: direction !== "in",
      authorName: row.q_author_name,
      sentAt: row.q_sent_at,
    };
  }
  if (row.quoted === null) return null;
  return {
    ...UNKNOWN,
    type: row.quoted.type,
    text: row.quoted.part ?? row.quoted.text,
    authorName: row.quoted.authorName ?? null,
  };
}
