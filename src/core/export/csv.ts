import { literal } from "../../database/copy.ts";
import { type Database, type Queryable, sql } from "../../database/database.ts";
import { HAS_NICKNAME } from "../chat/nickname.ts";
import type { Scope } from "../scope.ts";

/**
 * Characters that start a formula, including the fullwidth forms of East Asian keyboards. The minus comes last
 * because of the brackets.
 */
const OPERATORS = "=+@＝＋－＠-";
/**
 * Where a formula may start: at the start of a cell, and inside it after a semicolon, a tab or a line end. Programs
 * that split columns at semicolons or tabs ignore quotes in the middle of a column, so they see cells there.
 */
const FORMULA = `E'(^|[;\\t\\r\\n]"*)([${OPERATORS}])'`;
/** Some spreadsheets skip these at the start of a cell. */
const SKIPPED = "E'\\t', E'\\r', E'\\n'";

/**
 * SQL: the text with an apostrophe before everything that a spreadsheet would interpret as a formula. An empty text
 * is null, which is an empty cell.
 */
function cell(text: string): string {
  return `case when left(${text}, 1) in (${SKIPPED}) then '''' else '' end ||
    case when ${text} ~ ${FORMULA} then regexp_replace(${text}, ${FORMULA}, E'\\\\1''\\\\2', 'g')
      else nullif(${text}, '') end`;
}

/** SQL: the equivalent of `encodeURIComponent`. Most names need no escaping. */
function uriComponent(text: string): string {
  const octets = `convert_to(${text}, 'UTF8')`;
  return `case when ${text} ~ '^[A-Za-z0-9_.!~*''()-]*$' then ${text} else (
    select string_agg(case when chr(o.byte) ~ '[A-Za-z0-9_.!~*''()-]' and o.byte < 128 then chr(o.byte)
                           else '%' || upper(lpad(to_hex(o.byte), 2, '0')) end, '' order by o.place)
    from (select place, get_byte(${octets}, place) as byte
          from generate_series(0, octet_length(${octets}) - 1) place) o) end`;
}

/** The columns, in the order of the interface, and the SQL of their cells. */
const COLUMNS = {
  direction: "case when p.direction = 'in' then 'inbound' else 'outbound' end",
  transport: "h.transport",
  // Group ids are negative numbers, which a spreadsheet does not interpret as a formula.
  chat_id: `case when c.chat_id ~ '^-[0-9]+$' then c.chat_id
    when ${HAS_NICKNAME} then ${cell("substr(c.chat_id, 2)")} else ${cell("c.chat_id")} end`,
  user_name: cell("c.name"),
  user_username: cell("c.username"),
  user_phone: cell("c.phone"),
  datetime: `to_char(p.sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  channel_id: "p.channel_id",
  chat_type: "c.chat_type",
  message_id: "p.id",
  type: "p.type",
  status: "p.status",
  text: cell("p.text"),
  content_uri: `case when p.url is not null then ${cell("p.url")}
    else b.url || '/files/' || f.key || case when coalesce(f.name, '') = '' then '' else '/' || ${uriComponent("f.name")} end end`,
  author_name: cell("p.author"),
  is_edited: "case when p.edited_at is null then 'false' else 'true' end",
  is_deleted: "case when p.deleted_at is null then 'false' else 'true' end",
  reactions: cell("p.reactions"),
  old_text: cell("p.old_info ->> 'oldText'"),
  old_content_uri: `case when p.old_info ? 'oldContentUri' then ${cell("p.old_info ->> 'oldContentUri'")}
    else b.url || '/files/' || (p.old_info #>> '{oldFile,key}') || case when coalesce(p.old_info #>> '{oldFile,name}', '') = ''
      then '' else '/' || ${uriComponent("(p.old_info #>> '{oldFile,name}')")} end end`,
};

/** SQL: the reactions to a message, with the names of the people; at most this many. */
const MAX_REACTIONS = 100;
const reactionsTo = (account: string): string => `
  (select string_agg(r.emoji || ' ' || case when r.person = '' then 'us' else r.name end, ', ' order by r.at, r.person)
   from (select * from message_reactions r
         where r.account_id = ${account} and r.message_id = m.id and r.emoji is not null
         order by r.person limit ${MAX_REACTIONS}) r)`;

/** The start of every file: the byte order mark by which spreadsheets recognise UTF-8, and the column names. */
export const CSV_HEAD = `\ufeff${Object.keys(COLUMNS).join(",")}\r\n`;

const BOUND = sql(
  "message_export_bound",
  `select id from messages where account_id = $1 and id > $2 order by account_id, id offset $3 - 1 limit 1`,
);

/**
 * The last message of a page of this many, whatever their times and channels; null: fewer are left. Pages follow the
 * primary key, which starts with the time of storing and never changes, so every message is exported exactly once,
 * even if it changes between two pages.
 */
export async function endOfPage(
  db: Queryable,
  { accountId }: Scope,
  { after, size }: { readonly after: string; readonly size: number },
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(BOUND, [accountId, after, size]);
  return row?.id ?? null;
}

/** Selects messages and a page of them. */
export interface PageRequest {
  readonly startAt: Date;
  readonly endAt: Date;
  readonly channelId: string | null;
  readonly publicUrl: string;
  /** Id of the last message of the previous page. */
  readonly after: string;
  /** Id of the last message of this page; null: all remaining. */
  readonly to: string | null;
}

/**
 * Passes the messages on as CSV, in chunks that are valid until the handler returns; resolves with their number. COPY
 * creates the text, in a fraction of the time that a library needs here (docs/decisions/0008). Its lines end with LF,
 * see `toCrLf`.
 */
export function readCsvPage(
  db: Pick<Database, "copy">,
  scope: Scope,
  { request, onData }: { readonly request: PageRequest; readonly onData: (data: Buffer) => void },
): Promise<number> {
  return db.copy(`copy (${pageQuery(scope, request)}) to stdout (format csv)`, onData);
}

/**
 * COPY takes no parameters. The joins keep messages, in key order, as the outer side (a channel always exists), so
 * that nothing has to be sorted, which would double the time.
 */
function pageQuery({ accountId }: Scope, request: PageRequest): string {
  const { after, to, startAt, endAt, channelId, publicUrl } = request;
  const account = `${literal(String(accountId))}::bigint`;
  const conditions = [
    `m.account_id = ${account}`,
    `m.id > ${literal(after)}`,
    ...(to === null ? [] : [`m.id <= ${literal(to)}`]),
    `m.sent_at between ${literal(startAt.toISOString())} and ${literal(endAt.toISOString())}`,
    ...(channelId === null ? [] : [`m.channel_id = ${literal(channelId)}`]),
  ];
  return `
    select ${Object.values(COLUMNS).join(", ")}
    from (
      select m.*, m.content #>> '{attachment,url}' as url, coalesce(m.author_name, m.sender ->> 'name') as author,
        ${reactionsTo(account)} as reactions
      from messages m where ${conditions.join(" and ")} order by m.account_id, m.id
    ) p
    join chats c on c.account_id = ${account} and c.id = p.chat
    left join channels h on h.account_id = ${account} and h.id = p.channel_id
    left join files f on f.account_id = ${account} and f.id = p.file_id
    cross join (select ${literal(publicUrl)}::text as url) b
    order by p.id`;
}
