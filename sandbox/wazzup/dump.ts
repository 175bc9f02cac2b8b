import { type HostedAccount, type HostedMessage, manyMessage } from "./account.ts";

const COLUMNS = [
  "direction",
  "transport",
  "chat_id",
  "user_name",
  "user_username",
  "user_phone",
  "datetime",
  "channel_id",
  "chat_type",
  "message_id",
  "type",
  "status",
  "text",
  "content_uri",
  "author_name",
  "is_edited",
  "is_deleted",
] as const;

export interface DumpRequest {
  readonly startAt: number;
  readonly endAt: number;
  /** Undefined: of all channels. */
  readonly channelId: string | undefined;
}

const ROWS_PER_CHUNK = 1_000;

/** The CSV of a dump: UTF-8 with BOM, CR LF, cells that a spreadsheet would run as a formula with an apostrophe. */
export function* dumpText(account: HostedAccount, request: DumpRequest): Generator<string> {
  yield `\ufeff${COLUMNS.join(",")}\r\n`;
  const transports = new Map(account.channels.map((channel) => [channel.channel_id, channel.transport]));
  let rows: string[] = [];
  for (const message of messagesOf(account)) {
    if (!isWanted(message, request)) continue;
    rows.push(rowOf(message, transports.get(message.channelId) ?? ""));
    if (rows.length < ROWS_PER_CHUNK) continue;
    yield rows.join("");
    rows = [];
  }
  yield rows.join("");
}

function* messagesOf(account: HostedAccount): Generator<HostedMessage> {
  for (let n = 0; n < account.manyMessages; n++) yield manyMessage(account, n);
  yield* account.messages;
}

function isWanted({ channelId, dateTime }: HostedMessage, request: DumpRequest): boolean {
  if (request.channelId !== undefined && request.channelId !== channelId) return false;
  const at = Date.parse(`${dateTime}Z`);
  return at >= request.startAt && at <= request.endAt;
}

function rowOf(message: HostedMessage, transport: string): string {
  const cells: Readonly<Record<(typeof COLUMNS)[number], string>> = {
    direction: message.isInbound ? "inbound" : "outbound",
    transport,
    chat_id: message.chatId,
    user_name: message.contact,
    user_username: "",
    user_phone: message.chatType === "whatsapp" ? message.chatId : "",
    datetime: `${message.dateTime}Z`,
    channel_id: message.channelId,
    chat_type: message.chatType,
    message_id: message.messageId,
    type: message.type,
    status: message.status,
    text: message.text,
    content_uri: message.contentUri ?? "",
    author_name: message.authorName ?? "",
    is_edited: String(message.isEdited ?? false),
    is_deleted: String(message.isDeleted ?? false),
  };
  return `${COLUMNS.map((column) => quoted(harmless(cells[column]))).join(",")}\r\n`;
}

function harmless(cell: string): string {
  return cell.replaceAll(/(^|[;\t\r\n]"*)([=+@＝＋－＠-])/g, "$1'$2");
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
