import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { liveProcesses, sendSignal } from "../../src/database/embedded/processes.ts";
import { DataDirectoryInUse, type EmbeddedServer, startEmbedded } from "../../src/database/embedded.ts";
import { quietLog } from "../kit/database.ts";
import { type Program, startProgram } from "../kit/program.ts";

const PROGRAM = fileURLToPath(new URL("./programs/attached.ts", import.meta.url));
const isRoot = process.getuid?.() === 0;

let dataDir = "";
const programs: Program[] = [];
const servers: EmbeddedServer[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "trunkline-embedded-"));
});
afterEach(async () => {
  for (const program of programs.splice(0))
    if (program.child.exitCode === null) await program.kill("SIGKILL");
  for (const server of servers.splice(0)) await server.stop();
  sendSignal(serverPid(dataDir), "SIGQUIT");
  await vi.waitFor(() => rmSync(dataDir, { recursive: true, force: true }));
});

async function start(directory = dataDir): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataDir: directory, log: quietLog });
  servers.push(server);
  return server;
}

function program(): Program {
  const started = startProgram(PROGRAM, [dataDir]);
  programs.push(started);
  return started;
}

async function ask<Row extends object>({ connection }: EmbeddedServer, statement: string): Promise<Row[]> {
  const client = new pg.Client(connection);
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

function serverPid(directory: string): number | undefined {
  const path = join(directory, "db/postmaster.pid");
  return existsSync(path) ? Number.parseInt(readFileSync(path, "utf8"), 10) : undefined;
}

/** Alive, and not an unreaped zombie. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("start", () => {
  test("creates a database, keeps it, and starts an existing one", async () => {
    const first = await start();
    expect(first.reused).toBe(false);
    await ask(first, "create table t as select 1 as n");
    expect(await first.stop()).toBe("stopped");
    await expect.poll(() => isAlive(first.pid)).toBe(false);
    const second = await start();
    expect(second.reused).toBe(false);
    expect(await ask(second, "select n from t")).toEqual([{ n: 1 }]);
    expect(await second.stop()).toBe("stopped");
    expect(await second.stop()).toBe("stopped");
  });

  test("is durable, listens only on its socket, and handles letters of all languages", async () => {
    const server = await start();
    const [row] = await ask(
      server,
      "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync, current_setting('listen_addresses') as listen, current_setting('data_checksums') as checksums, current_setting('max_connections') as connections, current_setting('wal_segment_size') as log, lower('ÄЖ') as lower, current_setting('server_encoding') as encoding",
    );
    expect(row).toEqual({
      fsync: "on",
      sync: "on",
      listen: "",
      checksums: "on",
      connections: "60",
      log: "4MB",
      lower: "äж",
      encoding: "UTF8",
    });
    expect(statSync(join(dataDir, "db")).mode & 0o777).toBe(0o700);
  });

  test("only the role of the service can log in, with its password, and it is not a superuser", async () => {
    const server = await start();
    const refusal = (change: pg.ClientConfig) =>
      ask({ ...server, connection: { ...server.connection, ...change } }, "select 1").then(
        () => "let in",
        (error: { code?: string }) => error.code,
      );
    expect(await refusal({ user: "postgres" })).toBe("28000");
    expect(await refusal({ password: "a guess" })).toBe("28P01");
    expect(
      await ask(
        server,
        "select rolsuper, rolcreaterole, rolreplication from pg_roles where rolname = current_user",
      ),
    ).toEqual([{ rolsuper: false, rolcreaterole: false, rolreplication: false }]);
    await expect(ask(server, "copy (select 1) to program 'true'")).rejects.toMatchObject({ code: "42501" });
    await expect(ask(server, "select pg_read_file('PG_VERSION')")).rejects.toMatchObject({ code: "42501" });
    const key = statSync(join(dataDir, "postgres.key"));
    expect([key.mode & 0o777, key.uid]).toEqual([0o600, process.getuid?.()]);
  });

  test.skipIf(!isRoot)("as root, another process of the server's user is not let in", async () => {
    const server = await start();
    const script = `
      import pg from ${JSON.stringify(import.meta.resolve("pg"))};
      const client = new pg.Client({ host: process.argv[1], port: 5432, user: process.argv[2], database: "postgres" });
      await client.connect().then(() => console.log("let in"), (error) => console.log("refused", error.message));
      // The server would keep the connection for its authentication_timeout, a minute.
      process.exit();
    `;
    for (const user of [String(server.connection.user), "postgres"]) {
      const args = ["--input-type=module", "-e", script, String(server.connection.host), user];
      const stranger = spawn(process.execPath, args, { uid: 65534, gid: 65534, cwd: "/" });
      const said: string[] = [];
      stranger.stdout.on("data", (text) => said.push(String(text)));
      await once(stranger, "close");
      expect(said.join("")).toMatch(/^refused (?!connect E)/);
    }
  });

  test("a lost password is replaced while no server runs", async () => {
    const first = await start();
    await ask(first, "create table t as select 1 as n");
    await first.stop();
    rmSync(join(dataDir, "postgres.key"));
    const second = await start();
    expect(second.connection.password).not.toBe(first.connection.password);
    expect(await ask(second, "select n from t")).toEqual([{ n: 1 }]);
    rmSync(join(dataDir, "postgres.key"));
    await expect(start()).rejects.toThrow(/refused the connection.*postgres\.key/);
  });

  test("refused statements do not fill the log", async () => {
    const server = await start();
    await expect(ask(server, "select 'hush' from nowhere")).rejects.toThrow(/nowhere/);
    expect(readFileSync(join(dataDir, "postgres.log"), "utf8")).not.toMatch(/nowhere|hush/);
  });

  test.skipIf(!isRoot)("as root, the server runs as nobody", async () => {
    const server = await start();
    expect(statSync(`/proc/${server.pid}`).uid).toBe(65534);
  });

  test.skipIf(!isRoot)("as root of a container, it finds the processes of nobody", async () => {
    const server = await start();
    const program = fileURLToPath(new URL("./programs/live-processes.ts", import.meta.url));
    // Containers have this capability only if it is granted.
    const without = ["--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"];
    const command = [...without, process.execPath, program, join(dataDir, "db")];
    expect(JSON.parse((await promisify(execFile)("setpriv", command)).stdout)).toContain(server.pid);
  });

  test.skipIf(!isRoot)("as root, a parent directory that nobody cannot traverse is named", async () => {
    const closed = join(dataDir, "closed");
    mkdirSync(join(closed, "data"), { recursive: true });
    chmodSync(dataDir, 0o755);
    chmodSync(closed, 0o700);
    await expect(start(join(closed, "data"))).rejects.toThrow(`chmod o+x ${closed}`);
  });

  test("a very long DATA_DIR gets its socket elsewhere", async () => {
    chmodSync(dataDir, 0o755);
    const long = join(dataDir, "d".repeat(60), "e".repeat(60));
    const server = await start(long);
    expect(Buffer.byteLength(String(server.connection.host))).toBeLessThan(60);
    expect(await ask(server, "select 1 as n")).toEqual([{ n: 1 }]);
    expect((await start(long)).reused).toBe(true);
    await Promise.all(servers.splice(0).map((one) => one.stop()));
    rmSync(String(server.connection.host), { recursive: true });
  });

  test("another major version, foreign files and a file in the way are explained", async () => {
    mkdirSync(join(dataDir, "db"));
    writeFileSync(join(dataDir, "db/PG_VERSION"), "15\n");
    await expect(start()).rejects.toThrow(/PostgreSQL 15.*trunkline export/);
    rmSync(join(dataDir, "db/PG_VERSION"));
    writeFileSync(join(dataDir, "db/diary.txt"), "dear");
    await expect(start()).rejects.toThrow(/PG_VERSION is missing/);
    expect(readFileSync(join(dataDir, "db/diary.txt"), "utf8")).toBe("dear");
  });

  test("a server that does not start is reported with its own output alone", async () => {
    await (await start()).stop();
    const failed = startEmbedded({ dataDir, log: quietLog, settings: { no_such_setting: "1" } });
    const { message } = (await failed.catch((error: unknown) => error)) as Error;
    expect(message).toMatch(/exited during start-up.*no_such_setting/s);
    expect(message).not.toContain("shut down");
  });

  test("a creation that was killed half-way does not block the next one", async () => {
    mkdirSync(join(dataDir, "db.new-4711/base"), { recursive: true });
    writeFileSync(join(dataDir, "db.new-4711/PG_VERSION"), "18\n");
    const killHalfWay = async (): Promise<boolean> => {
      const killed = program();
      await vi.waitUntil(() => existsSync(join(dataDir, `db.new-${killed.child.pid}`, "base")), {
        interval: 1,
      });
      await killed.kill("SIGKILL");
      return !existsSync(join(dataDir, "db"));
    };
    // On a busy machine a creation may end before the kill.
    for (let attempt = 1; !(await killHalfWay()); attempt++) {
      expect(attempt).toBeLessThan(5);
      for (const pid of await liveProcesses(join(dataDir, "db"))) sendSignal(pid, "SIGKILL");
      await vi.waitFor(() => rmSync(join(dataDir, "db"), { recursive: true }));
    }
    const server = await start();
    expect(await ask(server, "select 1 as n")).toEqual([{ n: 1 }]);
    expect(existsSync(join(dataDir, "db.new-4711"))).toBe(false);
  });
});

describe("several programs", () => {
  test("a program attaches to the server that a killed one left", async () => {
    const killed = program();
    const { pid } = await killed.next();
    await killed.kill("SIGKILL");
    const server = await start();
    expect([server.reused, server.pid]).toEqual([true, pid]);
  });

  test("programs that start concurrently share one server; the last to leave stops it", async () => {
    const all = [program(), program(), program(), program()];
    const started = await Promise.all(all.map((one) => one.next()));
    expect(new Set(started.map(({ pid }) => pid)).size).toBe(1);
    expect(started.filter(({ reused }) => reused === false)).toHaveLength(1);
    const migrated = await Promise.all(all.map((one) => one.tell("migrate")));
    expect(migrated.filter(({ applied }) => (applied as string[]).length > 0)).toHaveLength(1);
    const [last, ...others] = all;
    for (const one of others) expect(await one.tell("stop")).toEqual({ stop: "left running" });
    expect(isAlive(Number(started[0]?.["pid"]))).toBe(true);
    expect(await last?.tell("stop")).toEqual({ stop: "stopped" });
    await expect.poll(() => isAlive(Number(started[0]?.["pid"]))).toBe(false);
  });

  test("when all leave concurrently, exactly one stops the server", async () => {
    const all = [program(), program(), program()];
    await Promise.all(all.map((one) => one.next()));
    const outcomes = await Promise.all(all.map((one) => one.tell("stop")));
    expect(outcomes.map(({ stop }) => stop).sort()).toEqual(["left running", "left running", "stopped"]);
  });

  test("a start while the server is being stopped succeeds", async () => {
    for (let round = 0; round < 5; round++) {
      const server = await start();
      const [outcome, next] = await Promise.all([server.stop(), start()]);
      expect(["stopped", "left running"]).toContain(outcome);
      expect(await ask(next, "select 1 as n")).toEqual([{ n: 1 }]);
      await next.stop();
    }
  });

  test("one service per directory: a second one is told the owner, and gets the directory when that one dies", async () => {
    const service = program();
    await service.next();
    expect(await service.tell("claim")).toEqual({ claimed: true });
    const server = await start();
    const refusal = await server.claimService().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DataDirectoryInUse);
    expect(String(refusal)).toContain(`process ${service.child.pid}`);
    const claiming = server.claimService();
    await service.kill("SIGKILL");
    await claiming;
  });
});

describe("crashes", () => {
  test("a killed server is restarted immediately, and the claim is kept", async () => {
    const server = await start();
    await server.claimService();
    await ask(server, "create table t as select 1 as n");
    let restarted = Promise.withResolvers<void>();
    server.supervise(() => restarted.resolve());
    for (let round = 0; round < 2; round++) {
      restarted = Promise.withResolvers();
      const { pid } = server;
      process.kill(pid, "SIGKILL");
      await restarted.promise;
      expect(server.pid).not.toBe(pid);
      expect(await ask(server, "select n from t")).toEqual([{ n: 1 }]);
    }
    const other = await start();
    await expect(other.claimService()).rejects.toThrow(DataDirectoryInUse);
  });

  test("a stale pid file with the pid of a foreign process does not prevent a start", async () => {
    const server = await start();
    await server.stop();
    const stranger = spawn("sleep", ["60"], { stdio: "ignore" });
    leaveStaleLock(stranger.pid ?? 0);
    expect(await ask(await start(), "select 1 as n")).toEqual([{ n: 1 }]);
    stranger.kill();
  });

  test.skipIf(process.platform !== "linux")("nor does one with the pid of a zombie", async () => {
    const server = await start();
    await server.stop();
    // Replaces the shell with a program that never reaps its child.
    const parent = spawn("sh", ["-c", "sh -c 'echo $$; exit' & exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const zombie = Number(String(line).trim());
    await vi.waitUntil(() => /^State:\s+Z/m.test(readFileSync(`/proc/${zombie}/status`, "utf8")));
    leaveStaleLock(zombie);
    expect(await ask(await start(), "select 1 as n")).toEqual([{ n: 1 }]);
    parent.kill();
  });

  test.skipIf(process.platform !== "linux")(
    "a statement that outlives the killed server does not delay the next server",
    async () => {
      const server = await start();
      const client = new pg.Client(server.connection);
      client.on("error", () => {});
      await client.connect();
      const busy = client
        .query("select count(*) from generate_series(1, 1000000000)")
        .catch((error: unknown) => error);
      await vi.waitUntil(
        async () =>
          (
            await ask(
              server,
              "select 1 from pg_stat_activity where query like '%1000000000)' and state = 'active'",
            )
          ).length > 0,
      );
      process.kill(server.pid, "SIGKILL");
      const next = await start();
      expect(next.pid).not.toBe(server.pid);
      expect(await busy).toBeInstanceOf(Error);
    },
  );

  test("the log is rotated when it is large", async () => {
    writeFileSync(join(dataDir, "postgres.log"), Buffer.alloc(11 * 1024 * 1024, "x"));
    await start();
    expect(statSync(join(dataDir, "postgres.log")).size).toBeLessThan(100_000);
    expect(existsSync(join(dataDir, "postgres.log.1"))).toBe(true);
  });
});

/** What PostgreSQL leaves when it is killed, with the pid of a foreign process. */
function leaveStaleLock(pid: number): void {
  const cluster = join(dataDir, "db");
  const lines = [pid, cluster, 1_700_000_000, 5432, cluster, "", " 123456 7", "ready"];
  writeFileSync(join(cluster, "postmaster.pid"), `${lines.join("\n")}\n`);
  writeFileSync(join(cluster, ".s.PGSQL.5432.lock"), `${lines.join("\n")}\n`);
}
