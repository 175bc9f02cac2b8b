import { safeName } from "../../platform/file/download-name.ts";
import { newId, newSecret } from "../../platform/ids.ts";
import { columnsOf, type IncomingContent, storedName } from "../content.ts";
import type { InboundMessage, MessageBody } from "../transport/events.ts";
import { keptFieldsOf, type MessageType } from "../transport/message.ts";
import type { StoredQuote } from "./load-facts.ts";
import type { MessageRow } from "./placement.ts";
import type { LocatedMessage } from "./report.ts";

/** The columns of `messageRow`, as a statement that stores messages declares them. */
export const MESSAGE_INPUT = `account_id bigint, id uuid, channel_id uuid, chat uuid, chat_type text, chat_id text, name text, username text,
       phone text, direction text, type text, status text, text text, content jsonb, file_id uuid, file_key text,
       file_name text, file_mime text, file_size bigint, file_source jsonb, quoted_external text, quoted jsonb,
       sender jsonb, external_id text, sent_at timestamptz, is_comment boolean, is_notice boolean`;

/** The row of a reported message, for the statements that store messages. */
export function messageRow({
  accountId,
  channelId,
  chat,
  pictureId,
  fileId,
  event: { message },
}: LocatedMessage): MessageRow {
  const { type, text } = columnsOf(message.body);
  return {
    account_id: accountId,
    id: newId(),
    channel_id: channelId,
    chat,
    chat_type: message.chatType,
    chat_id: message.chatId,
    name: message.contact.name,
    username: message.contact.username,
    phone: message.contact.phone,
    direction: message.direction,
    type,
    status: message.direction === "in" ? "inbound" : "sent",
    text,
    content: contentOf(message),
    ...fileColumns(message.body, fileId),
    quoted_external: message.quoted?.externalId,
    quoted: message.quoted === undefined ? undefined : storedQuote(message.quoted),
    sender: message.sender,
    external_id: message.externalId,
    sent_at: message.sentAt,
    is_comment: message.post !== undefined,
    is_notice: message.isSystem === true,
    picture_id: pictureId,
  };
}

function contentOf(message: InboundMessage): IncomingContent | undefined {
  const { contact, body } = message;
  const { profileId } = contact;
  const content: IncomingContent = {
    ...keptFieldsOf(message),
    ...(profileId === undefined ? {} : { profileId }),
    ...(body.type === "unsupported" ? { unsupported: body.what } : {}),
    ...(body.type === "unsupported" && body.isAwaited === true ? { awaited: true } : {}),
  };
  return Object.keys(content).length === 0 ? undefined : content;
}

function fileColumns(body: MessageBody, fileId = newId()): object {
  if (body.type !== "media") return {};
  const { file } = body;
  return {
    file_id: fileId,
    file_key: newSecret(24),
    file_name: storedName({ ...file, name: safeName(file.name ?? "") }, body.media),
    file_mime: file.mimeType,
    file_size: file.size,
    file_source: file,
  };
}

function storedQuote({
  externalId,
  body,
  part,
  authorName,
  link,
}: NonNullable<InboundMessage["quoted"]>): StoredQuote {
  const { type, text } =
    body === undefined ? { type: "unknown" as MessageType, text: null } : columnsOf(body);
  return {
    externalId,
    type,
    text,
    ...(part === undefined ? {} : { part }),
    ...(authorName === undefined ? {} : { authorName }),
    ...(body?.type === "unsupported" ? { unsupported: body.what } : {}),
    // Pages put it into a link, so only http(s) addresses are kept: nothing that would run as script.
    ...(link !== undefined && /^https?:\/\//.test(link) ? { link } : {}),
  };
}
