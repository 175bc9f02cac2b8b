import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findProgram, isProgram } from "../../test/kit/installed-programs.ts";

/** The programs of a cluster; all are packages of Debian 12. */
export interface Programs {
  readonly patroni: string;
  readonly etcd: string;
  readonly haproxy: string;
  readonly psql: string;
  /** The directory of PostgreSQL's server programs. */
  readonly binDir: string;
}

const SERVERS = "/usr/lib/postgresql";
const OLDEST = 15;

/** The programs, or the names of those that are not installed. */
export function findPrograms(): { readonly programs: Programs } | { readonly missing: readonly string[] } {
  const [patroni, etcd, haproxy, psql] = ["patroni", "etcd", "haproxy", "psql"].map(findProgram);
  const binDir = newestServer();
  if (patroni && etcd && haproxy && psql && binDir)
    return { programs: { patroni, etcd, haproxy, psql, binDir } };
  const named = { patroni, etcd, haproxy, psql, [`PostgreSQL ${OLDEST} or newer in ${SERVERS}`]: binDir };
  return { missing: Object.keys(named).filter((name) => named[name as keyof typeof named] === undefined) };
}

/** What to tell an operator. Pure. */
export function missingText(missing: readonly string[]): string {
  return `--patroni needs programs that are not installed: ${missing.join(", ")}. On Debian 12, run deploy/patroni/install.sh as root.`;
}

function newestServer(): string | undefined {
  const majors = directoriesIn(SERVERS)
    .map(Number)
    .filter((major) => major >= OLDEST)
    .toSorted((a, b) => b - a);
  return majors
    .map((major) => join(SERVERS, String(major), "bin"))
    .find((directory) => isProgram(join(directory, "postgres")));
}

function directoriesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
