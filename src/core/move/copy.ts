import type { Queryable } from "../../database/database.ts";
import type { AccountTable } from "./tables.ts";

/** Rows that one transaction copies. */
const ROWS_AT_A_TIME = 500;
/** Changed rows that are looked up at a time. */
const CHANGES_AT_A_TIME = 1_000;

/** How the copied rows are written: each call is one transaction, or a part of one. */
export type Write = (work: (tx: Queryable) => Promise<unknown>) => Promise<unknown>;

/** What a copy reads and writes. */
export interface Copying {
  readonly accountId: number;
  readonly moveId: string;
  readonly tables: readonly AccountTable[];
  /** A snapshot of the source. */
  readonly source: Queryable;
  readonly write: Write;
  progress(line: string): void;
}

/** How far a table is copied: the key of its last row, or that it is whole. */
type TableProgress = { readonly after: readonly string[] } | { readonly isWhole: true };
export type Progress = Readonly<Record<string, TableProgress>>;

const PROGRESS = "select progress from account_moves where account_id = $1 and side = 'target'";
// Fails the transaction, and with it the rows, once the move is revoked.
const KEEP_PROGRESS = `update account_moves set progress = jsonb_set(progress, array[$3], $4::jsonb), changed_at = now()
  where account_id = $1 and side = 'target' and move_id = $2 and state = 'arriving' returning 1`;

export class MoveRevoked extends Error {
  override readonly name = "MoveRevoked";
  constructor() {
    super("The move was revoked at the target");
  }
}

/** Of the target. */
export async function readProgress(db: Queryable, accountId: number): Promise<Progress> {
  const [row] = await db.query<{ progress: Progress }>(PROGRESS, [accountId]);
  return row?.progress ?? {};
}

/**
 * Brings the early tables of the target to the state of the snapshot: first the rows that changed since they were copied,
 * then the tables that are not copied yet, from where the last attempt stopped. Repeating it is harmless. Returns how many
 * changes were applied; `forget` deletes them at the source, once the target has them for good.
 */
export async function bringUpToDate(
  copying: Copying,
  known: Progress,
): Promise<{ readonly changes: number; forget(source: Queryable): Promise<void> }> {
  const early = copying.tables.filter(({ isEarly }) => isEarly);
  const applied = new Map<string, number[]>();
  const changed = await changedTables(copying);
  // A row may take a unique value, such as the messenger's id, from one that was deleted.
  for (const table of early.toReversed().filter(({ name }) => changed.has(name)))
    for await (const { keys } of changesOf(copying, table)) await removeMissing(copying, table, keys);
  for (const table of early) {
    const ids: number[] = [];
    if (changed.has(table.name))
      for await (const batch of changesOf(copying, table)) {
        await copyRows(copying, table, batch.keys);
        ids.push(...batch.ids);
      }
    applied.set(table.name, ids);
    if (!isWhole(known[table.name])) await copyRest(copying, table, known[table.name]);
  }
  const changes = [...applied.values()].reduce((sum, ids) => sum + ids.length, 0);
  return { changes, forget: (source) => forgetChanges(source, copying.accountId, applied) };
}

function isWhole(progress: TableProgress | undefined): boolean {
  return progress !== undefined && "isWhole" in progress;
}

async function changedTables({ source, accountId }: Copying): Promise<ReadonlySet<string>> {
  const rows = await source.query<{ name: string }>(
    "select distinct changed_table as name from account_move_changes where account_id = $1",
    [accountId],
  );
  return new Set(rows.map(({ name }) => name));
}

interface Changes {
  readonly ids: readonly number[];
  /** The changed keys, each once, as JSON objects. */
  readonly keys: readonly string[];
}

async function* changesOf({ source, accountId }: Copying, { name }: AccountTable): AsyncGenerator<Changes> {
  for (let after = 0; ; ) {
    const rows = await source.query<{ id: number; key: string }>(
      `select id, key::text from account_move_changes where account_id = $1 and changed_table = $2 and id > $3
       order by id limit ${CHANGES_AT_A_TIME}`,
      [accountId, name, after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield { ids: rows.map(({ id }) => id), keys: [...new Set(rows.map(({ key }) => key))] };
    after = last.id;
  }
}

/** The rows of these keys in the snapshot: as JSON, null for one that does not exist. */
async function rowsOf(
  { source }: Copying,
  { name, key }: AccountTable,
  keys: readonly string[],
): Promise<{ readonly key: string; readonly row: string | null }[]> {
  const [first] = key;
  return source.query(
    `select e.key::text as key, case when t.${first?.name} is null then null else row_to_json(t)::text end as row
     from jsonb_array_elements($1::jsonb) as e(key)
     cross join lateral jsonb_to_record(e.key) as k(${key.map((column) => `${column.name} ${column.type}`).join(", ")})
     left join ${name} t on ${key.map((column) => `t.${column.name} = k.${column.name}`).join(" and ")}`,
    [`[${keys.join(",")}]`],
  );
}

async function removeMissing(copying: Copying, table: AccountTable, keys: readonly string[]): Promise<void> {
  const missing = (await rowsOf(copying, table, keys)).filter(({ row }) => row === null);
  if (missing.length === 0) return;
  const { name, key } = table;
  await copying.write((tx) =>
    tx.query(
      `delete from ${name} t using jsonb_to_recordset($1::jsonb)
         as k(${key.map((column) => `${column.name} ${column.type}`).join(", ")})
       where ${key.map((column) => `t.${column.name} = k.${column.name}`).join(" and ")}`,
      [`[${missing.map((each) => each.key).join(",")}]`],
    ),
  );
}

async function copyRows(copying: Copying, table: AccountTable, keys: readonly string[]): Promise<void> {
  const rows = (await rowsOf(copying, table, keys)).flatMap(({ row }) => row ?? []);
  if (rows.length > 0) await copying.write((tx) => put(tx, table, rows));
}

/** Inserts the rows, or replaces those that exist. */
async function put(tx: Queryable, table: AccountTable, rows: readonly string[]): Promise<void> {
  const { name, columns, key } = table;
  const names = columns.map((column) => column.name).join(", ");
  const changing = columns.filter((column) => !column.isIdentity && !key.includes(column));
  const replace =
    changing.length === 0
      ? "nothing"
      : `update set ${changing.map((column) => `${column.name} = excluded.${column.name}`).join(", ")}`;
  await tx.query(
    `insert into ${name} (${names}) overriding system value
     select ${names} from json_populate_recordset(null::${name}, $1::json)
     on conflict (${key.map((column) => column.name).join(", ")}) do ${replace}`,
    [`[${rows.join(",")}]`],
  );
}

/** Copies the rows behind the last copied one, in the order of the key. */
async function copyRest(
  { source, write, accountId, moveId, progress }: Copying,
  table: AccountTable,
  known: TableProgress | undefined,
): Promise<void> {
  const { name, key, owner } = table;
  const rest = key.slice(1);
  const order = rest.map((column) => column.name);
  const keyTexts = `array[${order.map((column) => `${column}::text`).join(", ")}]::text[]`;
  let after = known !== undefined && "after" in known ? known.after : null;
  let count = 0;
  for (;;) {
    const beyond = rest.map((column, place) => `$${place + 2}::text::${column.type}`);
    const rows = await source.query<{ row: string; key: string[] }>(
      `select row_to_json(t)::text as row, ${keyTexts} as key from ${name} t where ${owner} = $1
       ${after === null || rest.length === 0 ? "" : `and (${order.join(", ")}) > (${beyond.join(", ")})`}
       order by ${[owner, ...order].join(", ")} limit ${ROWS_AT_A_TIME}`,
      [accountId, ...(rest.length === 0 ? [] : (after ?? []))],
    );
    const isLast = rows.length < ROWS_AT_A_TIME || rest.length === 0;
    after = rows.at(-1)?.key ?? after;
    const state: TableProgress = isLast ? { isWhole: true } : { after: after ?? [] };
    await write(async (tx) => {
      if (rows.length > 0)
        await put(
          tx,
          table,
          rows.map(({ row }) => row),
        );
      const kept = await tx.query(KEEP_PROGRESS, [accountId, moveId, name, JSON.stringify(state)]);
      if (kept.length === 0) throw new MoveRevoked();
    });
    count += rows.length;
    if (isLast) break;
  }
  if (count > 0) progress(`${name}: ${count} rows`);
}

async function forgetChanges(
  source: Queryable,
  accountId: number,
  applied: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  for (const [name, ids] of applied)
    for (let from = 0; from < ids.length; from += CHANGES_AT_A_TIME)
      await source.query(
        "delete from account_move_changes where account_id = $1 and changed_table = $2 and id = any($3::bigint[])",
        [accountId, name, ids.slice(from, from + CHANGES_AT_A_TIME)],
      );
}

/**
 * Copies the tables that are not early, of which the target has no row yet. For the transaction of the switch: the account
 * rests meanwhile, so it takes one statement to read, and those to write do not wait for one another.
 */
export async function copyLate({ source, accountId, tables }: Copying, tx: Queryable): Promise<void> {
  const late = tables.filter(({ isEarly }) => !isEarly);
  const reads = late.map(({ name, owner, key }) => {
    const order = key.length === 0 ? "" : ` order by ${key.map((column) => `t.${column.name}`).join(", ")}`;
    return `select '${name}' as name, json_agg(t${order})::text as rows from ${name} t where ${owner} = $1`;
  });
  const found = await source.query<{ name: string; rows: string | null }>(reads.join(" union all "), [
    accountId,
  ]);
  const rowsOf = new Map(found.map(({ name, rows }) => [name, rows]));
  const refresh =
    rowsOf.get("oauth_grants") != null
      ? await source.query<{ rows: string | null }>(REFRESH_TOKENS, [accountId])
      : [];
  await Promise.all([
    ...late.flatMap((table) => {
      const rows = rowsOf.get(table.name) ?? null;
      return rows === null ? [] : tx.query(insertOf(table), [rows]);
    }),
    ...refresh.flatMap(({ rows }) => (rows === null ? [] : tx.query(INSERT_REFRESH_TOKENS, [rows]))),
  ]);
}

// They name their grant only, and are deleted with it.
const REFRESH_TOKENS = `select json_agg(t)::text as rows from oauth_refresh_tokens t
  where t.grant_id in (select id from oauth_grants where account_id = $1)`;
const INSERT_REFRESH_TOKENS =
  "insert into oauth_refresh_tokens select * from json_populate_recordset(null::oauth_refresh_tokens, $1::json)";

function insertOf({ name, columns, isRenumbered }: AccountTable): string {
  const names = columns
    .filter(({ isIdentity }) => !(isRenumbered && isIdentity))
    .map((column) => column.name)
    .join(", ");
  return `insert into ${name} (${names}) ${isRenumbered ? "" : "overriding system value"}
    select ${names} from json_populate_recordset(null::${name}, $1::json)`;
}
