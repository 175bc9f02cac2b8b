import { type Queryable, sql } from "../../database/database.ts";
import type { Scope } from "../core.ts";

/** What begins a cell that a spreadsheet would run, also in the wide forms of East Asian keyboards. */
const FORMULA = "E'=', '+', '-', '@', E'\\t', E'\\r', E'\\n', '＝', '＋', '－', '＠'";

/** SQL: the text as a cell of RFC 4180; what a spreadsheet would run gets an apostrophe in front. Null is empty. */
function cell(text: string): string {
  const harmless = `case when left(${text}, 1) in (${FORMULA}) then '''' || ${text} else ${text} end`;
  return `case when ${text} ~ '[",\\r\\n]' then '"' || replace(${harmless}, '"', '""') || '"' else ${harmless} end`;
}

/** SQL: as `encodeURIComponent` has it. Most names need nothing. */
function uriComponent(text: string): string {
  const octets = `convert_to(${text}, 'UTF8')`;
  return `case when ${text} ~ '^[A-Za-z0-9_.!~*''()-]*$' then ${text} else (
    select string_agg(case when chr(o.byte) ~ '[A-Za-z0-9_.!~*''()-]' and o.byte < 128 then chr(o.byte)
                           else '%' || upper(lpad(to_hex(o.byte), 2, '0')) end, '' order by o.place)
    from (select place, get_byte(${octets}, place) as byte
          from generate_series(0, octet_length(${octets}) - 1) place) o) end`;
}

/** The columns and the SQL that makes each of them a cell, in the order of the interface. */
const COLUMNS = {
  direction: "case when p.direction = 'in' then 'inbound' else 'outbound' end",
  transport: "h.transport",
  // The ids of groups are negative numbers; a spreadsheet has nothing to run in a number.
  chat_id: `case when c.chat_id ~ '^-[0-9]+$' then c.chat_id else ${cell("c.chat_id")} end`,
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
    else $7::text || '/files/' || f.key || case when coalesce(f.name, '') = '' then '' else '/' || ${uriComponent("f.name")} end end`,
  author_name: cell("p.author_name"),
  is_edited: "case when p.edited_at is null then 'false' else 'true' end",
  is_deleted: "case when p.deleted_at is null then 'false' else 'true' end",
};

/** Begins every file: the mark by which spreadsheets recognise UTF-8, and the names of the columns. */
export const CSV_HEAD = `\ufeff${Object.keys(COLUMNS).join(",")}\r\n`;

/**
 * Pages follow the primary key: it begins with the time of storing and never changes, so that every message comes
 * once, whatever happens to it between two pages. The database makes the lines: a tenth of the time that a library
 * needs for it here (docs/decisions/0008).
 */
const PAGE = sql(
  "message_export_page",
  `with page as materialized (
     select m.id, m.direction, m.channel_id, m.chat, m.sent_at, m.type, m.status, m.text, m.file_id, m.edited_at, m.deleted_at,
            m.content #>> '{attachment,url}' as url, coalesce(m.author_name, m.sender ->> 'name') as author_name
     from messages m where m.account_id = $1 and m.id > $2 order by m.account_id, m.id limit $3
   ), lines as (
     select p.id, concat(${Object.values(COLUMNS).join(", ',', ")}, E'\\r\\n') as line
     from page p
     join chats c on c.account_id = $1 and c.id = p.chat
     join channels h on h.account_id = $1 and h.id = p.channel_id
     left join files f on f.account_id = $1 and f.id = p.file_id
     where p.sent_at between $4 and $5 and ($6::uuid is null or p.channel_id = $6)
   )
   select (select count(*)::int from page) as looked, (select p.id from page p order by p.id desc limit 1) as last,
          count(*)::int as messages, coalesce(string_agg(line, '' order by id), '') as text
   from lines`,
);

/** Which messages, and where the page begins. */
export interface PageRequest {
  readonly startAt: Date;
  readonly endAt: Date;
  readonly channelId: string | null;
  readonly publicUrl: string;
  /** Id of the last message of the page before. */
  readonly after: string;
  /** Messages to look at; those of other times and channels count. */
  readonly limit: number;
}

/** Some messages as lines of CSV. */
export interface CsvPage {
  readonly text: string;
  readonly messages: number;
  /** Null: there was none. */
  readonly last: string | null;
  /** Nothing followed when the page was read. */
  readonly isLast: boolean;
}

export async function readCsvPage(
  db: Queryable,
  { accountId }: Scope,
  { startAt, endAt, channelId, publicUrl, after, limit }: PageRequest,
): Promise<CsvPage> {
  const values = [accountId, after, limit, startAt, endAt, channelId, publicUrl];
  const [page] = await db.query<Omit<CsvPage, "isLast"> & { looked: number }>(PAGE, values);
  if (page === undefined) throw new Error("A page without a row cannot be");
  const { looked, ...rest } = page;
  return { ...rest, isLast: looked < limit };
}
