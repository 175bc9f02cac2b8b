import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { quietLog, startTestDatabase } from "../kit/database.ts";
import { listenOnOwnPort } from "../kit/own-port.ts";
import { pgbouncer, startPgbouncer } from "../kit/pgbouncer.ts";
import { startService } from "../kit/service.ts";

const SESSION_MODE = /needs a session of its own.*set pool_mode = session in PgBouncer/;

function open(connection: string): Database {
  const db = openDatabase({ connection, log: quietLog, applicationName: "test" });
  onTestFinished(() => db.close());
  return db;
}

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-pgbouncer-"));
  chmodSync(directory, 0o755);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function openPooled(mode: "session" | "transaction", program: string) {
  const { url: direct, stop } = await startTestDatabase({ empty: true });
  onTestFinished(stop);
  const directory = join(makeDirectory(), "pooler");
  const pooler = await startPgbouncer({ program, directory, mode, url: direct });
  onTestFinished(pooler.stop);
  return pooler;
}

// Debian's package "pgbouncer".
describe.skipIf(pgbouncer === undefined)("PgBouncer", () => {
  const program = String(pgbouncer);

  test("pooling sessions serves everything, without settings of its own", async () => {
    const { url } = await openPooled("session", program);
    const db = open(url);
    const settings = await db.query<{ name: string; setting: string }>(
      "select name, setting from pg_settings where name in ('statement_timeout', 'lock_timeout', 'enable_seqscan', 'idle_in_transaction_session_timeout') order by name",
    );
    expect(settings.map(({ setting }) => setting)).toEqual(["off", "5000", "10000", "30000"]);
    const heard = Promise.withResolvers<string>();
    await db.listen("news", heard.resolve);
    db.notify("news", "of today");
    await expect(heard.promise).resolves.toBe("of today");
  });

  test("a statement that takes long is not taken for a dead connection: the pid is that of the server", async () => {
    const { url } = await openPooled("session", program);
    const [row] = await open(url).query("select pg_sleep(7), 1 as one");
    expect(row).toMatchObject({ one: 1 });
  });

  test("pooling transactions is refused at once, with what to do", async () => {
    const { url } = await openPooled("transaction", program);
    const db = open(url);
    await expect(db.query("select 1")).rejects.toThrow(SESSION_MODE);
    expect(db.health().up).toBe(true);
  });

  test("the service does not start where transactions are pooled", async () => {
    const { url } = await openPooled("transaction", program);
    const started = startService({
      DATABASE_URL: url,
      DATA_DIR: makeDirectory(),
      SECRET_KEY: randomBytes(32).toString("base64"),
    });
    await expect(started).rejects.toThrow(SESSION_MODE);
  });

  test("a parameter of DATABASE_URL that it refuses is named", async () => {
    const { url } = await openPooled("session", program);
    const db = open(`${url}?options=-c%20geqo%3Doff`);
    await expect(db.query("select 1")).rejects.toThrow(/refuses the parameter "options" of DATABASE_URL/);
  });
});

/** The least of a pooler: who connects gets answers to simple queries. */
async function startFake(onStart: (socket: Socket) => void, pidOfQuery: () => number): Promise<string> {
  const create = () =>
    createServer((socket) => {
      let isStarted = false;
      socket.on("error", () => {});
      socket.on("data", (data) => {
        if (!isStarted) onStart(socket);
        else if (data[0] === 0x51) answer(socket, data.toString(), pidOfQuery());
        isStarted = true;
      });
    });
  const { server, port } = await listenOnOwnPort(create);
  onTestFinished(() => void server.close());
  return `postgres://user@127.0.0.1:${port}/name`;
}

function answer(socket: Socket, query: string, pid: number): void {
  const columns = query.includes("is_standby")
    ? { is_standby: "f" }
    : query.includes("timeline")
      ? { timeline: "", pid: String(pid) }
      : { pid: String(pid) };
  // The object ids of "boolean", "text" and "integer".
  const types: Readonly<Record<string, number>> = { is_standby: 16, timeline: 25, pid: 23 };
  const names = Object.entries(columns);
  const row = names.map(([name]) =>
    Buffer.concat([text(name), int32(0), int16(0), int32(types[name] ?? 25), int16(-1), int32(-1), int16(0)]),
  );
  const values = names.map(([, value]) => Buffer.concat([int32(value.length), Buffer.from(value)]));
  if (query.includes(";")) socket.write(packet("C", text("SET")));
  socket.write(packet("T", int16(names.length), ...row));
  socket.write(packet("D", int16(names.length), ...values));
  socket.write(packet("C", text("SELECT 1")));
  socket.write(packet("Z", Buffer.from("I")));
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);
function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}
function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
function packet(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

/** What PgBouncer answers to a client whose key it has made up. */
function welcome(socket: Socket): void {
  socket.write(
    Buffer.concat([packet("R", int32(0)), packet("K", int32(-99), int32(1)), packet("Z", Buffer.from("I"))]),
  );
}

test("a pooler that changes the session between statements is refused at once, with what to do", async () => {
  let pid = 100;
  const db = open(await startFake(welcome, () => ++pid));
  await expect(db.query("select 1")).rejects.toThrow(SESSION_MODE);
});

test("a startup parameter that a pooler refuses is named, and not taken for an outage", async () => {
  const refuse = (socket: Socket): void => {
    const fields = ["SFATAL", "C08P01", "Munsupported startup parameter: options", ""];
    socket.end(packet("E", ...fields.map(text)));
  };
  const db = open(await startFake(refuse, () => 1));
  await expect(db.query("select 1")).rejects.toThrow(
    /refuses the parameter "options" of DATABASE_URL.*ignore_startup_parameters.*pool_mode = session/,
  );
  expect(db.health().up).toBe(true);
});
