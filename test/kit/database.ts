import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PoolConfig } from "pg";
import {
  type Database,
  DatabaseUnavailable,
  openDatabase,
  type Transaction,
} from "../../src/database/database.ts";
import { startEmbedded } from "../../src/database/embedded.ts";
import { migrate } from "../../src/database/migrate.ts";
import { newSecret } from "../../src/platform/ids.ts";
import { createLog, type Log } from "../../src/platform/log.ts";

export interface TestDatabase {
  /** Usable as DATABASE_URL by other processes. */
  readonly url: string;
  readonly connection: PoolConfig;
  /** Ends all connections to the database and refuses new ones, until the returned function is called. */
  close(): Promise<() => Promise<void>>;
  /** Drops the database, even with open connections. */
  stop(): Promise<void>;
}

/** A log that says nothing. */
export const quietLog: Log = createLog({ level: "silent", pretty: false });

/**
 * A fresh, migrated database (`empty: true`: without any table). All of one test process share a PostgreSQL
 * under the temporary directory that ends with the process; TEST_DATABASE_URL names another one to use.
 */
export async function startTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const server = await testServer();
  const name = `test_${newSecret(9).replace(/\W/g, "_").toLowerCase()}`;
  // The template is copied as files, so nothing may be connected to it; this is the case once it is migrated.
  const template = options.empty === true ? "template0" : await server.template();
  // By default each block of the template goes through the log, which takes twice the processor time.
  await server.run(`create database ${name} template ${template} strategy file_copy`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    connection: { connectionString: url.href },
    close: async () => {
      await admit(server, name, false);
      return () => admit(server, name, true);
    },
    stop: () => drop(server, name),
  };
}

/** How often a held transaction is heard of: the pool ends a connection in use that is silent for three seconds. */
const BEAT_MS = 500;

/**
 * A transaction in which a test waits for others. The service's limits of idle seconds do not apply: the machine may stop
 * for as long.
 */
export function holdTx<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.tx(async (tx) => {
    await tx.query("set local idle_in_transaction_session_timeout = 0");
    let beat: Promise<void> | undefined;
    const beats = setInterval(() => {
      beat ??= tx
        .query("select 1")
        .catch(() => undefined)
        .then(() => {
          beat = undefined;
        });
    }, BEAT_MS);
    try {
      return await work(tx);
    } finally {
      clearInterval(beats);
      await beat;
    }
  });
}

/**
 * Runs this PL/pgSQL for each row of a statement, such as `insert`, on this table; returns what ends it, once or more.
 * @param when condition on `new` and `old`
 */
export async function addTrigger(
  db: Database,
  statement: `${"before" | "after"} ${string} on ${string}`,
  { when = "true", run }: { when?: string; run: string },
): Promise<() => Promise<void>> {
  const name = `test_${newSecret(9).replace(/\W/g, "_").toLowerCase()}`;
  const table = statement.slice(statement.lastIndexOf(" ") + 1);
  await db.query(`
    create function ${name}() returns trigger language plpgsql as $$ begin ${run}; return new; end $$;
    create trigger ${name} ${statement} for each row when (${when}) execute function ${name}()`);
  // A drop locks the partitions of a table before the table; its writers lock the table first.
  return () =>
    db.tx(async (tx) => {
      await tx.query(`lock table ${table} in access exclusive mode`);
      await tx.query(`drop trigger if exists ${name} on ${table}`);
      await tx.query(`drop function if exists ${name}`);
    });
}

/**
 * Not `with (force)`: that asks for the right to end whatever is at work there, which for autovacuum only a superuser has.
 * Without it, PostgreSQL sends autovacuum away by itself.
 */
async function drop(server: TestServer, name: string): Promise<void> {
  await admit(server, name, false);
  await server.run(`drop database if exists ${name}`);
}

/** Lets clients connect to the database, if it exists, or sends them all away. */
async function admit({ run }: TestServer, name: string, isOpen: boolean): Promise<void> {
  const exists = `select from pg_database where datname = '${name}'`;
  await run(
    `do $$ begin if exists (${exists}) then alter database ${name} allow_connections ${isOpen}; end if; end $$`,
  );
  if (isOpen) return;
  await run(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}' and usename = current_user`,
  );
}

interface TestServer {
  readonly url: string;
  run(statement: string): Promise<void>;
  /** Name of a migrated database without data, made at the first call. */
  template(): Promise<string>;
}

// Test files have their modules to themselves; the server is the process's.
const shared = globalThis as typeof globalThis & { trunklineTestServer?: Promise<TestServer> };

function testServer(): Promise<TestServer> {
  shared.trunklineTestServer ??= startServer();
  return shared.trunklineTestServer;
}

async function startServer(): Promise<TestServer> {
  const url = process.env["TEST_DATABASE_URL"] ?? (await startOwnServer());
  const admin = openDatabase({ connection: url, max: 2, log: quietLog, applicationName: "test kit" });
  const run = async (statement: string): Promise<void> => {
    for (let attempt = 1; ; attempt++)
      try {
        return await admin.session(async (session) => void (await session.query(statement)));
      } catch (error) {
        // Nothing was sent yet: the server stood still for as long as a new connection waits.
        if (!(error instanceof DatabaseUnavailable) || attempt === 5) throw error;
      }
  };
  let template: Promise<string> | undefined;
  return {
    url,
    run,
    template() {
      template ??= makeTemplate(url, run);
      return template;
    },
  };
}

async function makeTemplate(serverUrl: string, run: (statement: string) => Promise<void>): Promise<string> {
  const name = `template_${process.pid}`;
  await run(`drop database if exists ${name}`);
  await run(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const db: Database = openDatabase({
    connection: url.href,
    max: 1,
    log: quietLog,
    applicationName: "test kit",
  });
  await migrate(db);
  // A copy that knew the template's would be taken for a restored backup.
  await db.query("update database_timeline set database_id = null");
  await db.close();
  return name;
}

async function startOwnServer(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-test-"));
  const server = await startEmbedded({
    dataDir,
    log: quietLog,
    settings: { fsync: "off", full_page_writes: "off", synchronous_commit: "off", shared_buffers: "32MB" },
  });
  endWithThisProcess(server.pid, dataDir);
  return urlOf(server.connection);
}

/** Such as another process takes for DATABASE_URL. */
function urlOf({ user, password, database, host }: PoolConfig): string {
  return `postgres://${user}:${String(password)}@localhost/${database}?host=${encodeURIComponent(String(host))}`;
}

/** A shell waits for the end of our pipe to it, which comes however this process ends, and cleans up. */
function endWithThisProcess(pid: number, dataDir: string): void {
  const script = `cat; kill -QUIT ${pid}; for i in 1 2 3 4 5 6 7 8 9; do rm -rf "$0" && exit; sleep 0.1; done`;
  const shell = spawn("sh", ["-c", script, dataDir], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
}
