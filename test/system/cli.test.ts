import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { latestDay, openDays } from "../../src/core/event/log-days.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { MOVE_COMMAND_LOCK } from "../../src/database/locks.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../kit/database.ts";
import { INHERITED } from "../kit/environment.ts";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");
const KEY = "vIbVeIKBxxO4H0mXFKdj6kHM/zf64AAbuFUs+pIq0wA=";
let directory = "";
let source: TestDatabase;
let db: Database;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "cli-"));
  source = await startTestDatabase();
  db = openDatabase({ connection: source.url, log: quietLog, applicationName: "test" });
});
test("only a start creates an installation; a command names where it looked", async () => {
  chmodSync(directory, 0o755);
  const own = { DATABASE_URL: "", SECRET_KEY: "", DATA_DIR: "elsewhere" };
  for (const argv of [
    ["account", "create", "--name", "A"],
    ["operator", "link"],
    ["migrate"],
    ["import", "x"],
  ])
    expect(await run(argv, own), argv.join(" ")).toMatchObject({
      status: 1,
      out: "",
      err: expect.stringMatching(
        /^There is no installation in \S+\/elsewhere \(DATA_DIR\)\..*npm run cli -- start/,
      ),
    });
  const findings = await run(["doctor"], own);
  expect([findings.status, findings.out]).toEqual([1, expect.stringContaining("elsewhere")]);
  expect(existsSync(join(directory, "elsewhere"))).toBe(false);
});
afterAll(async () => {
  await db.close();
  await source.stop();
  rmSync(directory, { recursive: true });
});

interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

function run(args: readonly string[], env: Record<string, string> = {}, program = MAIN): Promise<Outcome> {
  const base = { ...INHERITED, DATABASE_URL: source.url, SECRET_KEY: KEY, SANDBOX: "1" };
  return new Promise((resolve) => {
    const command = program === MAIN ? [process.execPath, MAIN, ...args] : [program, ...args];
    const [file = "", ...rest] = command;
    execFile(file, rest, { cwd: directory, env: { ...base, ...env } }, (error, out, err) =>
      resolve({ status: Number(error?.code ?? 0), out, err }),
    );
  });
}

async function json<T>(args: readonly string[], env?: Record<string, string>): Promise<T> {
  const { out, err, status } = await run([...args, "--json"], env);
  if (status !== 0) throw new Error(err);
  return JSON.parse(out) as T;
}

describe("accounts, tokens and channels", () => {
  test("an account comes with its tokens, and more can be issued and revoked", async () => {
    const created = await json<{ accountId: number; accessToken: string; apiKey: string }>([
      "account",
      "create",
      "--name",
      "Küche & Söhne",
    ]);
    expect(created.accessToken).not.toBe(created.apiKey);
    const accounts = await json<{ id: number; name: string }[]>(["account", "list"]);
    expect(accounts).toContainEqual(
      expect.objectContaining({ id: created.accountId, name: "Küche & Söhne" }),
    );

    const account = String(created.accountId);
    const issued = await json<{ id: string; token: string }>([
      "token",
      "create",
      "--account",
      account,
      "--kind",
      "sidecar",
    ]);
    expect(await json(["token", "revoke", issued.id])).toEqual({ revoked: true });
    expect(await run(["token", "revoke", issued.token])).toMatchObject({
      status: 1,
      err: expect.stringMatching(/no such token/),
    });
    expect(await json(["token", "revoke", created.apiKey])).toEqual({ revoked: true });
  });

  test("channels are shown with their queue and log, without sealed values", async () => {
    const account = await insertSamples();
    const list = await json<{ id: string }[]>(["channel", "list", "--account", String(account)]);
    expect(list).toHaveLength(1);
    const shown = await run(["channel", "show", list[0]?.id ?? ""]);
    expect(shown.out).toMatch(/disabled \(unauthorized\)/);
    expect(shown.out).toMatch(/1 jobs of 1 chats/);
    expect(shown.out).toMatch(/the messenger said no {2}\{"status":401\}/);
    expect(shown.out).not.toContain("credentials");
    expect(await run(["channel", "show", "nothing"])).toMatchObject({ status: 1 });
  });
});

describe("the pacing of a channel", () => {
  interface Pacing {
    readonly limits: Readonly<Record<string, number | null>>;
    readonly changed: readonly string[];
    readonly firstContacts: { readonly heldUntil: string | null; readonly left: number | null };
  }

  test("is shown, changed, reset, and freed of a cooldown", async () => {
    const account = await insertSamples();
    const [channel] = await json<{ id: string }[]>(["channel", "list", "--account", String(account)]);
    const id = channel?.id ?? "";
    const hold = `insert into channel_pacing (account_id, channel_id, held_until, hold_reason)
      values ($1, $2, '2999-01-01T00:00:00Z', 'too many new chats')`;
    await db.query(hold, [account, id]);
    const pacing = ["channel", "pacing", id];
    const changes = ["--per-minute", "6", "--first-contacts-per-day", "25", "--warm-up-days", "0"];
    const changed = await json<Pacing>([...pacing, ...changes]);
    expect(changed).toMatchObject({
      limits: { perMinute: 6, firstContactsPerDay: 25, warmUpDays: 0 },
      changed: ["firstContactsPerDay", "perMinute", "warmUpDays"],
      firstContacts: { left: 25, heldUntil: "2999-01-01T00:00:00.000Z" },
    });
    const text = await run(["channel", "show", id]);
    expect(text.out).toMatch(/first contacts {2}25 of 25 left in 24 hours, the next at 2999-01-01/);
    expect(text.out).toMatch(/held +first contacts until 2999-01-01T00:00:00.000Z: too many new chats/);
    expect(text.out).toMatch(/channel +6 a minute/);
    const kept = await json<Pacing>([...pacing, "--reset", "--per-minute", "9", "--end-hold"]);
    expect(kept).toMatchObject({
      limits: { perMinute: 9 },
      changed: ["perMinute"],
      firstContacts: { heldUntil: null },
    });
    const own = await json<Pacing>([...pacing, "--per-minute", "default"]);
    expect(own.changed).toEqual([]);
    expect(await json<Pacing>(pacing)).toEqual(own);
    expect((await run(["channel", "show", id])).out).toMatch(/released {2}First contacts are allowed again/);
  });

  test("invalid values are refused", async () => {
    const outcomes = await Promise.all([
      run(["channel", "pacing", "nothing"]),
      run(["channel", "pacing", "nothing", "--per-minute", "0"]),
      run(["channel", "pacing", "nothing", "--warm-up-days", "1.5"]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([1, 2, 2]);
    expect(outcomes.map(({ err }) => err.trim())).toEqual([
      'There is no channel nothing; "npm run cli -- channel list" shows those there are',
      "--per-minute must be a number from 0.1 to 60000, or default",
      "--warm-up-days must be a whole number from 0 to 365, or default",
    ]);
  });
});

describe("the CRM's settings of an account", () => {
  test("who gets new clients", async () => {
    const { accountId } = await json<{ accountId: number }>(["account", "create", "--name", "CRM"]);
    const account = ["--account", String(accountId)];
    expect(await json(["crm", "show", ...account])).toEqual({ newClients: "nobody" });
    expect((await run(["crm", "set", ...account, "--new-clients", "in_turn"])).out).toMatch(
      /new clients {2}in_turn/,
    );
    expect(await json(["crm", "show", ...account])).toEqual({ newClients: "in_turn" });
    await db.query("insert into crm_users (account_id, id, name) values ($1, 'u', 'Ann')", [accountId]);
    expect((await run(["crm", "user", "u", ...account, "--new-clients", "on"])).out).toMatch(/u gets/);
    expect(await json(["crm", "users", ...account])).toEqual([
      { id: "u", name: "Ann", getsNewClients: true },
    ]);
    expect((await run(["crm", "users", ...account])).out).toMatch(/u +yes +Ann/);
  });

  test("misspelt or missing values are refused", async () => {
    const cases: [string[], number, RegExp][] = [
      [["crm", "set", "--account", "10000001"], 2, /--new-clients/],
      [["crm", "set", "--account", "10000001", "--new-clients", "all"], 2, /first_respondent/],
      [["crm", "set", "--account", "10000001", "--new-clients", "nobody"], 1, /no account 10000001/],
      [["crm", "user", "u", "--account", "10000001", "--new-clients", "yes"], 2, /on or off/],
      [["crm", "user", "u", "--account", "10000001", "--new-clients", "off"], 1, /no employee u/],
    ];
    const outcomes = await Promise.all(cases.map(([args]) => run(args)));
    for (const [index, [, status, message]] of cases.entries()) {
      expect(outcomes[index]).toMatchObject({ status, out: "" });
      expect(outcomes[index]?.err).toMatch(message);
    }
  });
});

describe("exports of messages", () => {
  const INSERT = `insert into message_exports
    (account_id, id, start_at, end_at, channel_id, requested_at, started_at, finished_at, expires_at, claim, messages, failures)
    values ($1, $2, '2026-01-01', '2026-02-01', $3, $4, $5, $6, $7, $8, $9, $10)`;
  const AT = "2026-03-01T00:00:00Z";
  const LATER = "2999-01-01T00:00:00Z";

  test("are listed with their results, for one account or all", async () => {
    const owner = await json<{ accountId: number }>(["account", "create", "--name", "Exporter"]);
    const other = await json<{ accountId: number }>(["account", "create", "--name", "Other"]);
    const [node, channel] = [randomUUID(), randomUUID()];
    await db.query(
      "insert into nodes (id, name, roles, lease_until) values ($1, 'writer', '{jobs}', now() + interval '1 hour')",
      [node],
    );
    const add = async (...values: readonly unknown[]): Promise<string> => {
      const id = randomUUID();
      await db.query(INSERT, [values[0], id, ...values.slice(1)]);
      return id;
    };
    const { accountId } = owner;
    const waits = await add(accountId, null, "2026-03-04", null, null, null, null, 0, 0);
    const runs = await add(accountId, channel, "2026-03-03", AT, null, null, node, 7_000, 2);
    const done = await add(accountId, null, "2026-03-02", AT, AT, LATER, null, 12, 0);
    await add(accountId, null, "2026-03-01", AT, AT, AT, null, 12, 0);
    const others = await add(other.accountId, null, "2026-03-05", null, null, null, null, 0, 0);

    const mine = await json<Record<string, unknown>[]>([
      "message",
      "export",
      "list",
      "--account",
      String(accountId),
    ]);
    expect(mine).toMatchObject([
      { id: waits, accountId, status: "pending", channelId: null, node: null, messages: 0 },
      { id: runs, status: "processing", channelId: channel, node: "writer", messages: 7_000, failures: 2 },
      { id: done, status: "done", messages: 12, expiresAt: "2999-01-01T00:00:00.000Z" },
    ]);
    expect(mine).toHaveLength(3);
    const all = await json<{ id: string }[]>(["message", "export", "list"]);
    expect(all.map(({ id }) => id)).toEqual([others, waits, runs, done]);
    const { out } = await run(["message", "export", "list", "--account", String(other.accountId)]);
    expect(out).toMatch(new RegExp(`^export +account +status.*\\n${others} +${other.accountId} +pending`));
    await db.query("delete from message_exports");
    await db.query("delete from nodes where id = $1", [node]);
    expect((await run(["message", "export", "list"])).out).toBe("There is no export\n");
  });
});

test("migrate reports what it applied, and what is pending", async () => {
  expect((await run(["migrate"])).out).toMatch(/^The schema is up to date: version \d+\n$/);
  const { schema, ...rest } = await json<{ schema: number }>(["migrate", "--status"]);
  expect(rest).toEqual({ applied: [], pending: [], waiting: [] });
  const newest = "select version, name, checksum from schema_migrations order by version desc limit 1";
  const [row] = await db.query<{ version: number; name: string; checksum: string }>(newest);
  expect(row?.version).toBe(schema);
  await db.query("delete from schema_migrations where version = $1", [schema]);
  expect((await run(["migrate", "--status"])).out).toBe(`Pending: ${row?.name}\n`);
  await db.query("insert into schema_migrations (version, name, checksum) values ($1, $2, $3)", [
    row?.version,
    row?.name,
    row?.checksum,
  ]);
});

test("misspelt commands exit with status 2 and name what is missing; --help explains each", async () => {
  const cases: [string[], RegExp][] = [
    [["account"], /no command "account".*account create, account list, account frames, account move\./],
    [["--json", "acount", "list"], /no command.*acount list.*--help/],
    [["account", "create"], /--name missing/],
    [["account", "create", "--name", ""], /--name missing/],
    [["account", "create", "--nme", "x"], /--nme/],
    [["account", "create", "--name", "-x"], /-XYZ'\. See "/],
    [["token", "create", "--account", "5", "--kind", "api"], /eight or ten digits/],
    [["token", "create", "--account", "12345678", "--kind", "root"], /access, agent, api, sidecar/],
    [["token", "revoke"], /TOKEN-OR-ID missing/],
    [["migrate", "now"], /unexpected argument/],
  ];
  const outcomes = await Promise.all(cases.map(([args]) => run(args)));
  for (const [index, [, message]] of cases.entries()) {
    expect(outcomes[index]).toMatchObject({ status: 2, out: "" });
    expect(outcomes[index]?.err).toMatch(message);
  }
  const help = await run(["start", "--help"]);
  expect(help).toMatchObject({ status: 0, err: "" });
  expect(help.out).toMatch(/PUBLIC_URL/);
  expect(help.out).toMatch(/TELEGRAM_API_URL/);
});

test("all invalid settings are named, and a .env file is read", async () => {
  writeFileSync(join(directory, ".env"), "PORT=eighty\n");
  const outcome = await run(["account", "list", "--json"], { SANDBOX: "perhaps" });
  rmSync(join(directory, ".env"));
  expect(outcome.status).toBe(1);
  const { error } = JSON.parse(outcome.err) as { error: string };
  expect(error).toMatch(/PORT must be a whole number from 0 to 65535, not "eighty"/);
  expect(error).toMatch(/SANDBOX/);
});

test("the program runs through a link, as npm installs it", async () => {
  const link = join(directory, "trunkline");
  symlinkSync(MAIN, link);
  expect(await run(["account", "list"], {}, link)).toMatchObject({ status: 0 });
});

test("without DATABASE_URL the embedded database runs for the duration of a command", async () => {
  const env = { DATABASE_URL: "", SECRET_KEY: "", DATA_DIR: "own" };
  // The test's directory is not accessible to others, like all temporary ones.
  chmodSync(directory, 0o755);
  const service = spawn(process.execPath, [MAIN, "start"], {
    cwd: directory,
    env: { ...INHERITED, ...env, SANDBOX: "0", PORT: "0" },
  });
  const ended = once(service, "exit");
  for await (const line of createInterface({ input: service.stdout }))
    if (line.includes("Trunkline is ready")) service.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  const created = await json<{ accountId: number }>(["account", "create", "--name", "Own"], env);
  expect(existsSync(join(directory, "own/db/postmaster.pid"))).toBe(false);
  const [both, list] = await Promise.all([
    json<{ status: string }[]>(["doctor"], env),
    json<{ id: number }[]>(["account", "list"], env),
  ]);
  expect(both.filter(({ status }) => status === "fail")).toEqual([]);
  expect(list.map(({ id }) => id)).toEqual([created.accountId]);
  expect(existsSync(join(directory, "own/db/postmaster.pid"))).toBe(false);
});

describe("a start", () => {
  const own = { DATABASE_URL: "", SECRET_KEY: "", PORT: "0", SANDBOX_PORT: "0" };
  const postgresRuns = (dataDir: string) => existsSync(join(directory, dataDir, "db/postmaster.pid"));

  test("that fails in one part stops the other parts, exits and names the setting", async () => {
    chmodSync(directory, 0o755);
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const port = String((taken.address() as AddressInfo).port);
    writeFileSync(join(directory, "file"), "");
    expect(await run(["start"], { ...own, DATA_DIR: "start", SANDBOX_PORT: port })).toMatchObject({
      status: 1,
      err: expect.stringMatching(`SANDBOX_PORT: another program listens there.*127.0.0.1:${port}`),
    });
    expect(await run(["start"], { ...own, DATA_DIR: "start", SANDBOX: "0", PORT: port })).toMatchObject({
      status: 1,
      err: expect.stringMatching(`PORT: another program listens there.*127.0.0.1:${port}`),
    });
    expect(postgresRuns("start")).toBe(false);
    taken.close();
    const blocked = await run(["start"], { ...own, DATA_DIR: "file", SANDBOX: "0" });
    expect(blocked).toMatchObject({ status: 1, err: expect.stringMatching(/DATA_DIR/) });
  });

  test("that is interrupted stops gracefully and leaves no PostgreSQL behind", async () => {
    chmodSync(directory, 0o755);
    const env = { ...INHERITED, ...own, SANDBOX: "0", DATA_DIR: "interrupted" };
    const service = spawn(process.execPath, [MAIN, "start"], { cwd: directory, env });
    const ended = once(service, "exit");
    for await (const line of createInterface({ input: service.stdout }))
      if (line.includes("the database was migrated")) service.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(postgresRuns("interrupted")).toBe(false);
  });
});

test.each<[string, (npm: number) => void]>([
  ["SIGTERM to npm, all that a container or a supervisor knows,", (npm) => process.kill(npm, "SIGTERM")],
  [
    "Ctrl+C, which reaches npm and the service, and the service once more from npm,",
    (npm) => process.kill(-npm, "SIGINT"),
  ],
])("%s stops the service gracefully", async (_, stop) => {
  chmodSync(directory, 0o755);
  const npm = spawn("npm", ["start"], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...INHERITED, DATA_DIR: join(directory, "npm"), SANDBOX: "0", PORT: "0" },
    // In a separate process group, to check that none of its processes is left.
    detached: true,
  });
  onTestFinished(() => {
    try {
      process.kill(-(npm.pid ?? Number.NaN), "SIGKILL");
    } catch {
      // All of its processes have exited.
    }
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: npm.stdout })) {
    lines.push(line);
    if (line.includes("Trunkline is ready")) stop(npm.pid ?? Number.NaN);
  }
  expect(lines.at(-1)).toContain('"stopped"');
});

describe("doctor", () => {
  test("finds no problem in an installation, except for what the test server does not have", async () => {
    const { out } = await run(["doctor", "--json"]);
    const findings = JSON.parse(out) as { name: string; status: string; remedy?: string }[];
    const failed = findings.filter(({ status }) => status === "fail").map(({ name }) => name);
    expect(failed).toEqual(["fsync", "full_page_writes", "synchronous_commit"]);
    for (const { status, remedy } of findings) if (status !== "ok") expect(remedy).toBeTruthy();
  });

  test("names the remedy for an unavailable database, another key and unreachable messengers", async () => {
    const away = await run(["doctor"], { DATABASE_URL: "postgres://u@127.0.0.1:1/x" });
    expect(away.status).toBe(1);
    expect(away.out).toMatch(/FAIL\s+database\s+PostgreSQL could not be reached/);
    await db.query(
      "insert into installation values ('key_fingerprint', '0000000000000000') on conflict do nothing",
    );
    const keyed = await run(["doctor", "--network"], {
      SANDBOX: "0",
      TELEGRAM_API_URL: "http://127.0.0.1:1",
    });
    await db.query("delete from installation where key = 'key_fingerprint'");
    expect(keyed.out).toMatch(/FAIL\s+key\s+.*0000000000000000/);
    expect(keyed.out).toMatch(/WARN\s+telegram\s+http:\/\/127.0.0.1:1 cannot be reached/);
  });

  test("names moves of accounts on which no command is at work, and counts the accounts that have left", async () => {
    const moving = async (accountId: number, state: string) =>
      db.query(
        `insert into account_moves (account_id, side, move_id, state, address)
         values ($1, 'source', gen_random_uuid(), $2, 'http://b.example')`,
        [accountId, state],
      );
    const found = async () => {
      const { out } = await run(["doctor", "--json"]);
      const findings = JSON.parse(out) as { name: string; status: string; detail: string }[];
      return findings.find(({ name }) => name === "moves");
    };
    onTestFinished(async () => void (await db.query("delete from account_moves")));
    await Promise.all([moving(11_111_111, "copying"), moving(33_333_333, "left")]);
    expect(await found()).toMatchObject({
      status: "warn",
      detail: expect.stringMatching(
        /^no command is at work: 11111111 to http:\/\/b\.example, copying since \S+ \(it works here\)$/,
      ),
    });
    await moving(22_222_222, "fenced");
    expect(await found()).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("(its requests wait)"),
    });
    await db.query("delete from account_moves where state = 'copying'");
    await db.session(async (session) => {
      await session.query("select pg_advisory_lock($1, $2)", [MOVE_COMMAND_LOCK, 22_222_222]);
      expect(await found()).toMatchObject({
        status: "ok",
        detail: expect.stringMatching(/^22222222 to .+, fenced .+; 1 left for http:\/\/b\.example$/),
      });
      await session.query("select pg_advisory_unlock_all()");
    });
  });
});

describe("for an account that has left for another cell", () => {
  const account = "44444444";
  const channel = randomUUID();
  const elsewhere =
    /^The account 44444444 is in the cell at http:\/\/b\.example\. Run the command with the settings of that cell\.$/m;

  beforeAll(async () => {
    await run(["migrate"]);
    await db.query(
      `insert into account_moves (account_id, side, move_id, state, address)
       values ($1, 'source', gen_random_uuid(), 'left', 'http://b.example')`,
      [account],
    );
    await db.query("insert into moved_addresses (kind, key, account_id) values ('channel', $1, $2)", [
      channel,
      account,
    ]);
  });
  afterAll(async () => {
    await db.query("delete from moved_addresses");
    await db.query("delete from account_moves");
  });

  test.each([
    "token create --kind access",
    "token list",
    "account frames --origins any",
    "crm show",
    "crm set --new-clients in_turn",
    "crm users",
    "crm user 7 --new-clients on",
    "replay --parked",
    "operator link --role viewer",
    "channel list",
    "webhook list",
    "message export list",
    "inbound refused",
    "audit list",
  ])("%s says where it is", async (command) => {
    expect(await run([...command.split(" "), "--account", account])).toMatchObject({
      status: 1,
      out: "",
      err: expect.stringMatching(elsewhere),
    });
  });

  test.each(["channel show", "channel unpaid", "channel pacing"])(
    "%s says where its channel is",
    async (command) => {
      expect(await run([...command.split(" "), channel])).toMatchObject({
        status: 1,
        err: expect.stringContaining(`The channel ${channel} is in the cell at http://b.example.`),
      });
    },
  );
});

test("an account that does not exist is named", async () => {
  await run(["migrate"]);
  for (const command of ["token create --kind access", "token list", "crm show"])
    expect(await run([...command.split(" "), "--account", "55555555"])).toMatchObject({
      status: 1,
      err: expect.stringMatching(/^There is no account 55555555; .*account list/m),
    });
  expect(await json(["channel", "list", "--account", "55555555"])).toEqual([]);
});

test("a command says that it is the other cell, or the directory, which cannot be used", async () => {
  await run(["migrate"]);
  const away = ["--to", "postgres://u:secret@127.0.0.1:1/x", "--address", "http://b.example"];
  const { status, err } = await run(["account", "move", "12345678", ...away]);
  expect(status).toBe(1);
  expect(err).toMatch(/^The database of the other cell cannot be used: .*127\.0\.0\.1:1$/m);
  expect(err).not.toContain("secret");
  const shown = await run(["directory", "show"], {
    DIRECTORY_URL: "postgres://u:secret@127.0.0.1:1/x",
    CELL: "a",
  });
  expect(shown.err).toMatch(/^The directory \(DIRECTORY_URL\) cannot be used: .*127\.0\.0\.1:1$/m);
});

describe("export and import", () => {
  const file = (): string => join(directory, "all.gz");

  async function importInto(env: Record<string, string> = {}) {
    const target = await startTestDatabase();
    const outcome = await run(["import", file()], { DATABASE_URL: target.url, ...env });
    const copy = openDatabase({ connection: target.url, log: quietLog, applicationName: "test" });
    return { outcome, copy, stop: () => copy.close().then(() => target.stop()) };
  }

  test("everything is restored unchanged, and sequences continue", async () => {
    const accountId = await insertSamples();
    // The clock of the source was far ahead for a while.
    await openDays(db, (await latestDay(db)) + 1_000);
    await db.query(
      "insert into events (account_id, kind, subject, body) values ($1, 'messages', 'ahead', '{}')",
      [accountId],
    );
    const exported = await json<{ rows: number; tables: Record<string, number> }>(["export", file()]);
    expect(exported.tables["channels"]).toBeGreaterThan(0);
    const { outcome, copy, stop } = await importInto();
    expect(outcome).toMatchObject({ status: 0 });
    const added = await copy.query<{ id: number }>(
      "delete from audit_log where action = 'installation.import' returning id",
    );
    expect(added).toHaveLength(1);
    for (const table of Object.keys(exported.tables)) {
      const all = `select row_to_json(t)::text as row from ${table} t order by 1`;
      expect(await copy.query(all), table).toEqual(await db.query(all));
    }
    // What waited in the export may have been sent since.
    expect(await copy.query("select timeline from database_timeline")).toEqual([{ timeline: "restored" }]);
    // The latest ids may have been told to others. The copy skips some, as a promoted standby does.
    const [latest] = await db.query<{ id: number }>("select last_value as id from log_ids");
    expect(await copy.query("select last_value as id from log_ids")).toEqual([
      { id: (latest?.id ?? 0) + 2 ** 24 },
    ]);
    expect(
      await copy.query("select tgname from pg_trigger where not tgisinternal and tgenabled = 'D'"),
    ).toEqual([]);
    expect(await run(["import", file()])).toMatchObject({
      status: 1,
      err: expect.stringMatching(/not empty/),
    });
    await stop();
  });

  test("another key, a truncated file, a foreign file and a running service are refused, and nothing is imported", async () => {
    await run(["export", file()]);
    const cases: [RegExp, () => void, Record<string, string>][] = [
      [/another SECRET_KEY/, () => {}, { SECRET_KEY: "C3pfw807Y00gylSxpomz0PqE2asScXmhgyRF4IrYMCQ=" }],
      [
        /is not a complete export: unexpected end of file/,
        () => truncateSync(file(), readFileSync(file()).length - 20),
        {},
      ],
      [/is not a complete export: incorrect header check/, () => writeFileSync(file(), "hello"), {}],
      [/cannot be read: ENOENT/, () => rmSync(file()), {}],
    ];
    for (const [message, prepare, env] of cases) {
      prepare();
      const { outcome, copy, stop } = await importInto(env);
      expect(outcome.status).toBe(1);
      expect(outcome.err).toMatch(message);
      expect(await copy.query("select count(*) as n from accounts")).toEqual([{ n: 0 }]);
      await stop();
    }
    await db.query(
      "insert into nodes (id, name, roles, lease_until) values (gen_random_uuid(), 'n', '{api}', now() + interval '1 minute')",
    );
    await run(["export", file()]);
    expect((await run(["import", file()])).err).toMatch(/service is using/);
    await db.query("delete from nodes");
  });
});

/** Inserts one row of each difficult kind. Returns the account. */
async function insertSamples(): Promise<number> {
  const { accountId } = await json<{ accountId: number }>([
    "account",
    "create",
    "--name",
    'line\u2028break\n"quoted" \\x',
  ]);
  const channel = `00000000-0000-4000-8000-${String(accountId).padStart(12, "0")}`;
  await db.query(
    "insert into channels (account_id, id, transport, status, reason, credentials, epoch) values ($1, $2, 'telegram', 'disabled', 'unauthorized', $3, 9007199254740993)",
    [accountId, channel, Buffer.from([0, 1, 255, 10])],
  );
  await db.query(
    "insert into channel_log (account_id, channel_id, level, message, details) values ($1, $2, 'warn', 'the messenger said no', '{\"status\": 401}')",
    [accountId, channel],
  );
  await db.query(
    "insert into send_jobs (account_id, channel_id, chat, message_id, kind) values ($1, $2, gen_random_uuid(), gen_random_uuid(), 'send')",
    [accountId, channel],
  );
  await db.query(
    "insert into events (account_id, kind, subject, body) select $1, 'message', 's', repeat('текст ', 50) from generate_series(1, 1500)",
    [accountId],
  );
  await db.query("delete from events where account_id = $1 and id > (select min(id) + 1400 from events)", [
    accountId,
  ]);
  await db.query("insert into crm_users (account_id, id, name) values ($1, 'u', 'Ann')", [accountId]);
  await db.query(
    "insert into contacts (account_id, id, responsible_user_id, name) values ($1, 'c', 'u', 'Client')",
    [accountId],
  );
  await db.query("insert into contact_chats values ($1, 'c', 0, 'vk', '5')", [accountId]);
  return accountId;
}
