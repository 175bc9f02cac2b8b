import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Database, Queryable } from "../../database/database.ts";
import { schemaVersion } from "../../database/schema.ts";
import { messageOf } from "../../platform/message-of.ts";
import { audit } from "../audit/audit.ts";
import { addPartitions, openDays } from "../event/log-days.ts";
import { markRestored } from "../message/timeline.ts";
import { isNodeRunning } from "../node/nodes.ts";
import { FORMAT, type Manifest, type Mark, TransferFailed, tablesToMove } from "./format.ts";

const BATCH_BYTES = 1_000_000;
const BATCH_SIZE = 1_000;

/**
 * Imports an export in one transaction. Refuses a database that is not empty or is in use, another schema version and
 * another SECRET_KEY.
 */
export async function importInstallation(options: {
  db: Database;
  path: string;
  fingerprint: string;
  progress: (line: string) => void;
}): Promise<{ rows: number }> {
  const { db, path, fingerprint, progress } = options;
  // Creates the partitions up to today.
  await openDays(db);
  return db.session(async (session) => {
    await session.query("begin");
    const tables = await tablesToMove(session);
    await refuseUnlessEmpty(session, tables);
    const triggered = await tablesWithTriggers(session);
    await setTriggers(session, triggered, "disable");
    const reader = new ImportReader(session, new Set(tables), progress);
    let first = true;
    for await (const line of linesOf(path)) {
      if (first) await addPartitions(session, checkManifest(line, await schemaVersion(session), fingerprint));
      else await reader.take(line);
      first = false;
    }
    const rows = await reader.finish();
    await setTriggers(session, triggered, "enable");
    await markRestored(session);
    await audit(session, { accountId: null, action: "installation.import", details: { rows } });
    await session.query("commit");
    return { rows };
  });
}

/** Splits at line feeds only: general line readers also split at other characters, which JSON may contain. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const unpacked = createGunzip();
  // Closes both streams when one fails or the reader stops; the loop throws the error.
  const done = pipeline(file, unpacked).catch(() => {});
  let rest = "";
  try {
    for await (const chunk of unpacked.setEncoding("utf8") as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    if (error instanceof TransferFailed) throw error;
    const reason = file.errored ?? error;
    const isDamaged = reason instanceof Error && "code" in reason && String(reason.code).startsWith("Z_");
    const fault = isDamaged ? "is not a complete export" : "cannot be read";
    throw new TransferFailed(`${path} ${fault}: ${messageOf(reason)}`);
  } finally {
    file.destroy();
    await done;
  }
}

/** Returns the day of the logs' latest ids. */
function checkManifest(line: string, schema: number, fingerprint: string): number {
  const manifest = parsed<Partial<Manifest>>(line);
  if (manifest.trunklineExport !== FORMAT)
    throw new TransferFailed("This file is not an export of Trunkline");
  if (manifest.schema !== schema)
    throw new TransferFailed(
      `The export has schema version ${manifest.schema}, but this database has ${schema}. Use the same release on both sides, then update.`,
    );
  if (manifest.fingerprint !== fingerprint)
    throw new TransferFailed(
      `The export was created with another SECRET_KEY (fingerprint ${manifest.fingerprint}, the one in use is ${fingerprint}). Set the SECRET_KEY of the export.`,
    );
  return manifest.logDay ?? 0;
}

/** Ignores what a first start stores; any other row would be mixed with the import. */
async function refuseUnlessEmpty(session: Queryable, tables: readonly string[]): Promise<void> {
  if (await isNodeRunning(session, null))
    throw new TransferFailed("A service is using this database. Stop it first.");
  await session.query("delete from installation where key = 'key_fingerprint'");
  await session.query("delete from log_days");
  await session.query("delete from operator_links where purpose = 'first'");
  for (const table of tables) {
    const found = await session.query(`select 1 from ${table} limit 1`);
    if (found.length > 0)
      throw new TransferFailed(
        `The database is not empty: ${table} has rows. Import into a new database or DATA_DIR.`,
      );
  }
}

async function tablesWithTriggers(session: Queryable): Promise<string[]> {
  const found = await session.query<{ name: string }>(
    `select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and t.tgparentid = 0 and c.relnamespace = current_schema()::regnamespace`,
  );
  return found.map(({ name }) => name);
}

/** The export contains the rows that triggers have written; firing them again would duplicate these rows. */
async function setTriggers(
  session: Queryable,
  tables: readonly string[],
  to: "disable" | "enable",
): Promise<void> {
  for (const table of tables) await session.query(`alter table ${table} ${to} trigger user`);
}

/** Collects rows of one table and inserts them in batches. */
class ImportReader {
  readonly #session: Queryable;
  readonly #tables: ReadonlySet<string>;
  readonly #progress: (line: string) => void;
  #table = "";
  #rows: string[] = [];
  #bytes = 0;
  #tableRows = 0;
  #total = 0;
  #announced: number | undefined;

  constructor(session: Queryable, tables: ReadonlySet<string>, progress: (line: string) => void) {
    this.#session = session;
    this.#tables = tables;
    this.#progress = progress;
  }

  async take(line: string): Promise<void> {
    if (line.startsWith("[")) {
      this.#rows.push(line.slice(1, -1));
      this.#bytes += line.length;
      if (this.#rows.length >= BATCH_SIZE || this.#bytes >= BATCH_BYTES) await this.#flush();
      return;
    }
    await this.#endTable();
    await this.#obey(parsed<Mark>(line));
  }

  async finish(): Promise<number> {
    if (this.#announced !== this.#total)
      throw new TransferFailed(
        `The export is incomplete: it ends after ${this.#total} of ${this.#announced ?? "an unknown number of"} rows. Nothing was imported.`,
      );
    return this.#total;
  }

  async #obey(mark: Mark): Promise<void> {
    if ("table" in mark) {
      if (!this.#tables.has(mark.table))
        throw new TransferFailed(`The export has an unknown table ${mark.table}`);
      this.#table = mark.table;
    } else if ("sequence" in mark) {
      await this.#session.query("select setval($1::regclass, $2::bigint)", [mark.sequence, mark.value]);
    } else this.#announced = mark.end.rows;
  }

  async #endTable(): Promise<void> {
    await this.#flush();
    if (this.#table !== "") this.#progress(`${this.#table}: ${this.#tableRows} rows`);
    this.#table = "";
    this.#tableRows = 0;
  }

  async #flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    await this.#session.query(
      `insert into ${this.#table} overriding system value select * from json_populate_recordset(null::${this.#table}, $1::json)`,
      [`[${this.#rows.join(",")}]`],
    );
    this.#total += this.#rows.length;
    this.#tableRows += this.#rows.length;
    this.#rows = [];
    this.#bytes = 0;
  }
}

function parsed<T>(line: string): T {
  try {
    return JSON.parse(line) as T;
  } catch (cause) {
    throw new TransferFailed("This file is not an export of Trunkline, or it is damaged", { cause });
  }
}
