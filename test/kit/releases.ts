import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { MIGRATIONS } from "../../src/database/migration-files.ts";
import type { Account, Environment } from "./service.ts";

/** Two consecutive releases. */
export interface Releases {
  /** The program of the earlier release; undefined: that of this checkout, with a database that is already migrated. */
  readonly earlier: string | undefined;
  /** The program of the later release; undefined: that of this checkout. */
  readonly later: string | undefined;
  /** Additional settings for nodes of the later release. */
  readonly settings: Environment;
  /** The directory with the later release's migrations. */
  readonly migrations: string;
}

/**
 * If PREVIOUS_RELEASE is set, it is the package of the previous release (from `npm run package`). It is installed as the
 * earlier release, and this checkout is the later one. Otherwise this checkout is the earlier release, and the later
 * one is this checkout with two more migrations.
 */
export async function findReleases(): Promise<Releases> {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-release-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  const archive = process.env["PREVIOUS_RELEASE"];
  if (archive === undefined) return followUp(directory);
  const earlier = await installRelease(archive, directory);
  return { earlier, later: undefined, settings: {}, migrations: MIGRATIONS };
}

/** Installs a package from `npm run package` in the directory; returns its program. */
export async function installRelease(archive: string, directory: string): Promise<string> {
  const options = [
    "--prefix",
    directory,
    "--omit=dev",
    "--omit=optional",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
  ];
  await promisify(execFile)("npm", ["install", ...options, resolve(archive)]);
  return join(directory, "node_modules/trunkline/dist/src/cli/main.js");
}

/** Each release has a folder here: the checksums of its migrations, and an installation that it has made. */
export const RELEASES = fileURLToPath(new URL("../releases", import.meta.url));

/** What is recorded of a release beside the export of its installation. */
export interface Release {
  /** Checksums of its migrations by name, in order. */
  readonly migrations: Readonly<Record<string, string>>;
  readonly account: Account;
  readonly channel: { readonly id: string; readonly token: string; readonly people: readonly string[] };
  /** Answers of the release to requests that read the installation, by their paths. */
  readonly answers: Readonly<Record<string, unknown>>;
}

export function readRelease(version: string): Release {
  return JSON.parse(readFileSync(join(RELEASES, version, "release.json"), "utf8")) as Release;
}

// The contract ends every node that does not know the expand, because such a node can no longer renew its lease.
const WIDE = `-- expand
alter table channels add column flavour text not null default 'plain';
alter table messages add column note text;`;
const NARROW = `-- contract 9001
create function refuse_older() returns trigger language plpgsql as $$
begin
  if new.schema_version < 9001 then raise exception 'an older node is at work'; end if;
  return new;
end $$;
create trigger refuse_older before insert or update on nodes for each row execute function refuse_older();
alter table messages drop column note;`;

function followUp(migrations: string): Releases {
  cpSync(MIGRATIONS, migrations, { recursive: true });
  writeFileSync(join(migrations, "9001_wide.sql"), WIDE);
  writeFileSync(join(migrations, "9002_narrow.sql"), NARROW);
  const later = fileURLToPath(new URL("../system/programs/later-release.ts", import.meta.url));
  return { earlier: undefined, later, settings: { MIGRATIONS: migrations }, migrations };
}
