import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * A file `NNNN_name.sql`; the version is its number. Its first line is `-- expand` or `-- contract NNNN`; without
 * either it is an expand.
 */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
  /**
   * Null for an expand, which is compatible with nodes of earlier releases. For a contract: the version of an expand;
   * nodes of releases that know this expand work after the contract is applied.
   */
  readonly after: number | null;
}

/** The migrations of this release. */
export const MIGRATIONS = join(import.meta.dirname, "migrations");

/**
 * The migrations of the directory, in order. Throws if two have the same number, or a contract names no earlier
 * expand.
 */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => /^\d{4}_\w+\.sql$/.test(file)).sort();
  const migrations = await Promise.all(files.map((file) => readMigration(directory, file)));
  for (const [index, { name, version, after }] of migrations.entries()) {
    const earlier = migrations.slice(0, index);
    if (version === earlier.at(-1)?.version)
      throw new Error(`The migration ${name} has the same number as another migration`);
    if (after !== null && !earlier.some((each) => each.version === after && each.after === null))
      throw new Error(`The migration ${name} names ${after}, which is not the number of an earlier expand`);
  }
  return migrations;
}

/** The schema version of a release: the number of its last migration. */
export function versionOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

async function readMigration(directory: string, file: string): Promise<Migration> {
  // Line endings are normalised, because a checkout may have changed them.
  const text = (await readFile(join(directory, file), "utf8")).replaceAll("\r\n", "\n");
  const name = file.slice(0, -4);
  return {
    version: Number(file.slice(0, 4)),
    name,
    text,
    checksum: createHash("sha256").update(text).digest("hex"),
    after: expandNamedBy(text, name),
  };
}

function expandNamedBy(text: string, name: string): number | null {
  const [first = ""] = text.split("\n", 1);
  if (!/^--\s*contract\b/i.test(first)) return null;
  const [, number] = /^-- contract (\d{4})$/.exec(first) ?? [];
  if (number === undefined)
    throw new Error(
      `The migration ${name} is a contract without an expand: its first line must be "-- contract NNNN"`,
    );
  return Number(number);
}
