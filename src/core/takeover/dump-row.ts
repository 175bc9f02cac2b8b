import { normalChatId } from "../chat/names.ts";
import type { DumpedMessage } from "../history/store-dump.ts";
import { type ChatType, traitsOf } from "../transport/definition.ts";
import { MESSAGE_TYPES, type MessageStatus } from "../transport/message.ts";

/** A message of a dump, before its place among the others is known. */
export interface DumpMessage extends Omit<DumpedMessage, "id" | "place" | "mayBeKnown"> {
  /** The original's id; null: the dump has none. */
  readonly messageId: string | null;
}

export type DumpRow = { readonly message: DumpMessage } | { readonly fault: string };

/** A channel that messages may belong to. */
export interface DumpChannel {
  readonly id: string;
  readonly transport: string;
  readonly chatTypes: readonly [ChatType, ...ChatType[]];
}

export interface DumpOptions {
  readonly channels: readonly DumpChannel[];
  /** The channel of all rows, whatever their column says; null: the column, or the only channel of the transport. */
  readonly channelId: string | null;
  /** Minutes east of UTC, for times without a zone. */
  readonly utcOffsetMinutes: number;
  readonly now: Date;
  /** Older messages would be deleted at once; null: messages are kept for ever. */
  readonly since: Date | null;
}

/** The columns by their names in the interface; those in camel case, as webhooks spell them, are accepted as well. */
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
type Column = (typeof COLUMNS)[number];
const REQUIRED: readonly Column[] = ["direction", "chat_id", "datetime"];

export type DumpReader = (cells: readonly string[]) => DumpRow;

/** Throws `DumpHeaderFault` if columns are missing without which no message can be stored. */
export function dumpReader(header: readonly string[], options: DumpOptions): DumpReader {
  const found = header.map(plain);
  const places = new Map(COLUMNS.map((column) => [column, found.indexOf(plain(column))]));
  const missing = REQUIRED.filter((column) => places.get(column) === -1);
  if (missing.length > 0)
    throw new DumpHeaderFault(
      `The dump has no column ${missing.join(" and no column ")}; its columns are ${header.join(", ").slice(0, 500)}`,
    );
  const channels = channelFinder(options);
  return (cells) => {
    const cell = (column: Column): string => unescaped(cells[places.get(column) ?? -1] ?? "");
    return rowOf(cell, channels, options);
  };
}

/** The header of a dump is not usable; the message states why. */
export class DumpHeaderFault extends Error {
  override readonly name = "DumpHeaderFault";
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
}

const OPERATORS = "=+@＝＋－＠-";
const ESCAPED = new RegExp(`(^|[;\\t\\r\\n]"*)'([${OPERATORS}])`, "g");

/** Without the apostrophes that keep spreadsheets from running a cell as a formula (`core/export/csv.ts`). Pure. */
export function unescaped(cell: string): string {
  if (!cell.includes("'")) return cell;
  return cell.replace(/^'(?=[\t\r\n])/, "").replaceAll(ESCAPED, "$1$2");
}

type ChannelFinder = (id: string, transport: string) => DumpChannel | string;

function channelFinder({ channels, channelId }: DumpOptions): ChannelFinder {
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  const byTransport = Map.groupBy(channels, ({ transport }) => transport);
  return (id, transport) => {
    const named = (channelId ?? id).toLowerCase();
    if (named !== "") return byId.get(named) ?? `there is no channel ${named} in the account`;
    const [only, ...others] = byTransport.get(transport) ?? [];
    if (only === undefined) return `the account has no channel of ${transport || "this row"}`;
    if (others.length === 0) return only;
    return `the dump does not name the channel, and the account has ${others.length + 1} of ${transport}`;
  };
}

function rowOf(cell: (column: Column) => string, find: ChannelFinder, options: DumpOptions): DumpRow {
  const channel = find(cell("channel_id"), cell("transport"));
  if (typeof channel === "string") return { fault: channel };
  const isInbound = directionOf(cell("direction"));
  if (isInbound === null) return { fault: "the direction is neither inbound nor outbound" };
  const sentAt = timeOf(cell("datetime"), options.utcOffsetMinutes);
  const late = sentAt === null ? "the datetime is no time" : timeFault(sentAt, options);
  if (late !== null || sentAt === null) return { fault: late ?? "" };
  const chat = chatOf(channel, cell("chat_type"), cell("chat_id"));
  if (typeof chat === "string") return { fault: chat };
  return {
    message: {
      ...chat,
      ...contentOf(cell),
      channelId: channel.id,
      name: cell("user_name"),
      username: cell("user_username").replace(/^@/, "") || null,
      phone: cell("user_phone").replaceAll(/\D/g, "") || null,
      isInbound,
      status: isInbound ? "inbound" : statusOf(cell("status")),
      authorName: (isInbound ? "" : cell("author_name")) || null,
      isEdited: isTrue(cell("is_edited")),
      isDeleted: isTrue(cell("is_deleted")),
      sentAt,
      messageId: cell("message_id") || null,
    },
  };
}

function directionOf(text: string): boolean | null {
  const word = text.trim().toLowerCase();
  if (word.startsWith("in")) return true;
  return word.startsWith("out") || word === "echo" ? false : null;
}

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;
const LOCAL_TIME = /^(\d{2})\.(\d{2})\.(\d{4})(?:[T ]+|, )(\d{2}):(\d{2})(?::(\d{2}))?$/;

/** ISO 8601, with a space in place of the T too; `31.12.2025 23:59:59`; Unix seconds or milliseconds. Pure. */
export function timeOf(given: string, utcOffsetMinutes: number): Date | null {
  const text = given.trim();
  if (/^(\d{10}|\d{13})$/.test(text)) return new Date(Number(text) * (text.length === 10 ? 1000 : 1));
  const local = LOCAL_TIME.exec(text);
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zone] =
    local === null
      ? (TIME.exec(text) ?? [])
      : [null, local[3], local[2], local[1], local[4], local[5], local[6], ""];
  if (year === undefined) return null;
  const parts = [year, month, day, hour, minute, second, fraction.padEnd(3, "0").slice(0, 3)].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0, ms = 0] = parts;
  const utc = new Date(Date.UTC(y, mo - 1, d, h, mi, s, ms));
  // A 31st of February would be a day in March.
  const isReal = utc.getUTCMonth() === mo - 1 && utc.getUTCDate() === d && h < 24 && mi < 60 && s < 60;
  return isReal ? new Date(utc.getTime() - offsetOf(zone ?? undefined, utcOffsetMinutes) * 60_000) : null;
}

function offsetOf(zone: string | undefined, utcOffsetMinutes: number): number {
  if (zone === undefined) return utcOffsetMinutes;
  if (!/^[+-]/.test(zone)) return 0;
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return zone.startsWith("-") ? -minutes : minutes;
}

const DAY_MS = 86_400_000;
/** No messenger existed before this time. */
const FIRST_MS = Date.UTC(2000, 0);

function timeFault(sentAt: Date, { now, since }: DumpOptions): string | null {
  if (sentAt.getTime() < FIRST_MS || sentAt.getTime() > now.getTime() + DAY_MS)
    return "the datetime is before 2000 or in the future";
  return since !== null && sentAt < since ? OLDER_THAN_RETENTION : null;
}

/** The reason for which a message is left out that the retention would delete. */
const OLDER_THAN_RETENTION = "the message is older than MESSAGE_RETENTION_DAYS";

interface Chat {
  readonly chatType: ChatType;
  readonly chatId: string;
}

function chatOf({ chatTypes, transport }: DumpChannel, named: string, given: string): Chat | string {
  const id = given.trim();
  if (id === "") return "the chat_id is empty";
  const types = named === "" ? byEnding(chatTypes, id) : chatTypes.filter((type) => type === named);
  if (types.length === 0) return `${transport} has no chats of the type ${named}`;
  for (const chatType of types) {
    const chatId = normalChatId(chatType, id);
    if (chatId !== null && chatId.length <= MAX_CHAT_ID_LENGTH) return { chatType, chatId };
  }
  return `the chat_id is no id of ${types.join(" or ")}`;
}

/** Longer ones do not fit an index. */
const MAX_CHAT_ID_LENGTH = 2_000;

/** Of those that have their own endings, the one of this id comes first. */
function byEnding(chatTypes: readonly ChatType[], id: string): readonly ChatType[] {
  const rank = (type: ChatType): number => (traitsOf(type)?.endings?.test(id) === true ? 0 : 1);
  return chatTypes.toSorted((a, b) => rank(a) - rank(b));
}

function statusOf(text: string): MessageStatus {
  const word = text.trim().toLowerCase();
  // The interface's older name.
  if (word === "received") return "delivered";
  return word === "delivered" || word === "read" || word === "error" ? word : "sent";
}

const isTrue = (text: string): boolean => /^(true|1|yes)$/i.test(text.trim());

type Content = Pick<DumpMessage, "type" | "text" | "contentUri">;

function contentOf(cell: (column: Column) => string): Content {
  const text = cell("text") || null;
  const uri = cell("content_uri").trim();
  const contentUri = /^https?:\/\//i.test(uri) && URL.canParse(uri) ? uri : null;
  const named = MESSAGE_TYPES.find((type) => type === cell("type").trim().toLowerCase());
  const type = named ?? (contentUri !== null ? "document" : text !== null ? "text" : "unknown");
  return { type, text, contentUri };
}
