import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Database, Queryable } from "../../database/database.ts";
import { schemaVersion } from "../../database/schema.ts";
import { latestDay } from "../event/log-days.ts";
import { FORMAT, type Manifest, type Mark, tablesToMove } from "./format.ts";

const BATCH_SIZE = 500;

/** Exports a consistent snapshot. Uses constant memory; the file gets its final name only when it is complete. */
export async function exportInstallation(options: {
  db: Database;
  path: string;
  fingerprint: string;
  progress: (line: string) => void;
}): Promise<{ rows: number; tables: Readonly<Record<string, number>> }> {
  const { db, path, fingerprint, progress } = options;
  const temporary = `${path}.part`;
  const counts: Record<string, number> = {};
  try {
    await db.session(async (session) => {
      // All later statements use the same snapshot.
      await session.query("begin isolation level repeatable read read only");
      const lines = Readable.from(batches(exportLines(session, fingerprint, counts, progress)));
      await pipeline(
        lines,
        createGzip({ level: 3 }),
        createWriteStream(temporary, { mode: 0o600, flush: true }),
      );
      await session.query("commit");
    });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return { rows: sum(counts), tables: counts };
}

async function* exportLines(
  session: Queryable,
  fingerprint: string,
  counts: Record<string, number>,
  progress: (line: string) => void,
): AsyncGenerator<string> {
  const manifest: Manifest = {
    trunklineExport: FORMAT,
    schema: await schemaVersion(session),
    fingerprint,
    exportedAt: new Date().toISOString(),
    logDay: await latestDay(session),
  };
  yield JSON.stringify(manifest);
  for (const table of await tablesToMove(session)) {
    yield mark({ table });
    counts[table] = 0;
    for await (const row of rowsOf(session, table)) {
      counts[table]++;
      yield `[${row}]`;
    }
    progress(`${table}: ${counts[table]} rows`);
  }
  for (const { name, value } of await sequences(session)) yield mark({ sequence: name, value });
  yield mark({ end: { rows: sum(counts) } });
}

async function* rowsOf(session: Queryable, table: string): AsyncGenerator<string> {
  await session.query(
    `declare export_rows no scroll cursor for select row_to_json(t)::text as row from ${table} t`,
  );
  for (;;) {
    const rows = await session.query<{ row: string }>(`fetch ${BATCH_SIZE} from export_rows`);
    if (rows.length === 0) break;
    for (const { row } of rows) yield row;
  }
  await session.query("close export_rows");
}

/** As text, because they may exceed the integers that a number holds exactly. */
async function sequences(session: Queryable): Promise<{ name: string; value: string }[]> {
  return session.query(
    "select sequencename as name, last_value::text as value from pg_sequences where schemaname = current_schema() and last_value is not null",
  );
}

/** Groups lines into larger chunks, because a stream of single lines has a high overhead. */
async function* batches(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

function mark(value: Mark): string {
  return JSON.stringify(value);
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
