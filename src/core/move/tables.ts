import type { Queryable } from "../../database/database.ts";

/** A table with rows of accounts. */
export interface AccountTable {
  readonly name: string;
  /** The column that names the account. */
  readonly owner: string;
  /** All columns except generated ones. */
  readonly columns: readonly Column[];
  /** Columns of the primary key, in order; empty if there is none. */
  readonly key: readonly Column[];
  /**
   * Early: copied while the account works at the source, then kept up to date. Otherwise copied while the account rests,
   * together with the switch: rows that nodes would act on as soon as they see them, and tables that are small.
   */
  readonly isEarly: boolean;
  /** The target gives the rows new ids, because the ids of two cells collide. */
  readonly isRenumbered: boolean;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isIdentity: boolean;
}

/** What a cell keeps for itself. */
const LEFT_OUT = [
  "account_moves",
  "account_move_changes",
  "moved_addresses",
  // Of requests that wait at the source; deleted after a day.
  "change_outcomes",
  // Of requests that wait at the source, and are withdrawn there.
  "session_requests",
  // Counted by triggers, at the target too.
  "crm_usage",
  // What happened in this cell, and what its operators are told of it.
  "statistics",
  "alerts",
  // Pages begin to follow the log of the target anew.
  "live_accounts",
];

/**
 * The tables that grow with the messages, contacts and files of an account. No node acts on their rows before it finds
 * the account's channels, jobs or cursors.
 */
const EARLY: ReadonlySet<string> = new Set([
  "accounts",
  "channel_log",
  "channel_notices",
  "channel_state",
  "channel_states",
  "channel_vault",
  "chat_entries",
  "chat_marks",
  "chat_order",
  "chat_reads",
  "chat_work",
  "chats",
  "contact_chats",
  "contacts",
  "deal_contacts",
  "deals",
  "early_reports",
  "events",
  "files",
  "first_contacts",
  "group_changes",
  "group_members",
  "idempotency_keys",
  "inbound_dead_letters",
  "message_reactions",
  "message_words",
  "messages",
  "phone_lookups",
  "unanswered",
  "webhook_attempts",
  "webhook_retries",
]);

interface TableRow {
  readonly name: string;
  readonly needs: readonly string[];
  readonly columns: readonly Column[];
  readonly key: readonly string[];
}

/**
 * The tables with rows of accounts, by the catalogue: those with a column `account_id`, and `accounts`. Referenced tables
 * come first.
 */
export async function accountTables(db: Queryable): Promise<AccountTable[]> {
  const rows = await db.query<TableRow>(
    `select c.relname as name,
       array(select f.confrelid::regclass::text from pg_constraint f
             where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as needs,
       (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
                                          'isIdentity', a.attidentity <> '') order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
       array(select a.attname::text from pg_index i cross join unnest(i.indkey) with ordinality k(attnum, place)
             join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
             where i.indrelid = c.oid and i.indisprimary order by k.place) as key
     from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relpersistence = 'p' and c.relname <> all ($1)
       and (c.relname = 'accounts' or exists (
         select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped))
     order by c.relname`,
    [LEFT_OUT],
  );
  return sorted(rows).map(tableOf);
}

function sorted(rows: readonly TableRow[]): TableRow[] {
  const names = new Set(rows.map(({ name }) => name));
  const done: TableRow[] = [];
  while (done.length < rows.length) {
    const isDone = (name: string): boolean => !names.has(name) || done.some((one) => one.name === name);
    const next = rows.find((row) => !done.includes(row) && row.needs.every(isDone));
    if (next === undefined) throw new Error("The foreign keys of the tables form a cycle");
    done.push(next);
  }
  return done;
}

function tableOf({ name, columns, key: keyNames }: TableRow): AccountTable {
  const owner = name === "accounts" ? "id" : "account_id";
  const key = keyNames.flatMap((each) => columns.filter((column) => column.name === each));
  const isOwnKey = key[0]?.name === owner;
  return {
    name,
    owner,
    columns,
    key,
    // Its rows are read in the order of the key, and changed rows are found by it.
    isEarly: EARLY.has(name) && isOwnKey,
    isRenumbered: !isOwnKey && key.some(({ isIdentity }) => isIdentity),
  };
}
