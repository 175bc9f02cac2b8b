import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { vi } from "vitest";
import { createAccount as insertAccount } from "../../src/core/account/accounts.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { startEmbedded } from "../../src/database/embedded.ts";
import { migrate } from "../../src/database/migrate.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "./database.ts";
import { mountDisk, unmountDisk } from "./disk.ts";
import { type Line, startLine } from "./line.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import {
  type Account,
  createAccount,
  type Environment,
  runCommand,
  type ServiceProcess,
  startService,
} from "./service.ts";
import { type Bot, startTelegram, type Telegram } from "./telegram.ts";

/** A channel of the account with the emulated bot behind it. */
export interface Channel {
  readonly id: string;
  readonly bot: Bot;
  readonly people: readonly string[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: unknown;
}

export interface Call {
  readonly key?: string;
  readonly account?: Account;
  readonly timeoutMs?: number;
}

/** The surroundings of the service under test: messenger, receiver, database, an account. */
export interface Stand {
  readonly environment: Environment;
  readonly telegram: Telegram;
  readonly receiver: Receiver;
  readonly account: Account;
  /** A look into the database, past the service. */
  readonly db: Database;
  /** Between the service and its database. */
  readonly line: Line;
  /** Starts a node with these settings on top of the stand's, by default with its program; `call` goes to the newest. */
  start(settings?: Environment, program?: string): Promise<ServiceProcess>;
  /** Where `call` goes; a test with several nodes may change it. */
  url: string;
  /** Throws when no answer comes. */
  call(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    how?: Call,
  ): Promise<Answer>;
  /** A channel with its people, active, and webhooks on. */
  addChannel(people: number, owner?: { account: Account; receiver: Receiver }): Promise<Channel>;
  addAccount(): Promise<Account>;
  /** Ends all processes that are left, and everything else. Throws when a service had died by itself. */
  stop(): Promise<void>;
}

/** The SECRET_KEY of the stands. */
export const KEY = "vIbVeIKBxxO4H0mXFKdj6kHM/zf64AAbuFUs+pIq0wA=";
let people = 1_000;

export interface StandOptions {
  /** The service has its own PostgreSQL. */
  readonly embedded?: boolean;
  /** The service reaches its database over a line, see `Stand.line`. */
  readonly overLine?: boolean;
  /** A database of the test's own, as DATABASE_URL; it may be empty. */
  readonly databaseUrl?: string;
  /** An account that the database has already. */
  readonly account?: Account;
  readonly settings?: Environment;
  /** The program of the nodes, and of the first command, which migrates the database; that of the checkout by default. */
  readonly program?: string;
  /** DATA_DIR is a disk of its own of this size; needs root and Linux. */
  readonly diskMegabytes?: number;
}

export async function startStand(options: StandOptions = {}): Promise<Stand> {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-stand-"));
  // The embedded server runs as nobody, and temporary directories are closed to others.
  chmodSync(directory, 0o755);
  const disk = options.diskMegabytes;
  if (disk !== undefined) mountDisk(directory, disk);
  const database = await databaseFor(options);
  const [telegram, receiver] = await Promise.all([startTelegram(), startReceiver()]);
  const direct: Environment = database === null ? {} : { DATABASE_URL: database.url, SECRET_KEY: KEY };
  const line = database !== null && options.overLine === true ? await lineTo(database.url) : null;
  const common = { DATA_DIR: directory, TELEGRAM_API_URL: telegram.url };
  const environment = {
    ...common,
    ...direct,
    ...(line === null ? {} : { DATABASE_URL: line.url }),
    ...options.settings,
  };
  const connection =
    database === null
      ? {
          host: join(directory, "db"),
          port: 5432,
          user: "trunkline",
          // It is there once the first service has started.
          password: () => readFileSync(join(directory, "postgres.key"), "utf8").trim(),
          database: "postgres",
        }
      : database.connection;
  const db = openDatabase({ connection, max: 2, log: quietLog, applicationName: "test" });
  if (options.databaseUrl !== undefined && options.account === undefined) await migrate(db);
  // Commands create no installation.
  if (database === null) await installEmbedded(directory);
  else if (options.program !== undefined)
    await runCommand({ ...common, ...direct }, ["migrate"], options.program);
  const services: ServiceProcess[] = [];
  // The embedded server is not there before a program starts it.
  const addAccount = (): Promise<Account> =>
    database === null || options.program !== undefined
      ? createAccount({ ...common, ...direct }, options.program)
      : insertAccount(db, { name: "Shop" });
  const release = async (): Promise<void> => {
    await Promise.all([telegram.close(), receiver.stop(), db.close()]);
    line?.drop();
    await (database === null ? stopEmbedded(directory) : database.stop());
    if (disk !== undefined) unmountDisk(directory);
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  };
  const stand: Stand = {
    environment,
    telegram,
    receiver,
    db,
    get line() {
      if (line === null) throw new Error("this stand has no line to its database");
      return line;
    },
    url: "",
    account:
      options.account ??
      (await addAccount().catch(async (error: unknown) => {
        await release();
        throw error;
      })),
    addAccount,
    async start(settings = {}, program = options.program) {
      const service = await startService({ ...environment, ...settings }, program);
      services.push(service);
      stand.url = service.url;
      return service;
    },
    call: (method, path, body, how = {}) => call(stand, method, path, { body, ...how }),
    addChannel: (count, owner) => addChannel(stand, count, owner ?? stand),
    async stop() {
      await Promise.all(services.map((service) => service.end("SIGKILL")));
      await release();
      const dead = services.find((service) => service.output().includes('"level":"fatal"'));
      if (dead !== undefined) throw new Error(`a service died of an unforeseen error:\n${dead.output()}`);
    },
  };
  return stand;
}

/** Null: the service has its own. */
async function databaseFor({
  embedded,
  databaseUrl: url,
  program,
}: StandOptions): Promise<Pick<TestDatabase, "url" | "connection" | "stop"> | null> {
  if (embedded === true) return null;
  if (url === undefined) return startTestDatabase({ empty: program !== undefined });
  return { url, connection: { connectionString: url }, stop: () => Promise.resolve() };
}

async function lineTo(url: string): Promise<Line & { url: string }> {
  const { username, password, pathname, searchParams } = new URL(url);
  const line = await startLine({ path: join(String(searchParams.get("host")), ".s.PGSQL.5432") });
  return { ...line, url: `postgres://${username}:${password}@127.0.0.1:${line.port}${pathname}` };
}

/** An embedded database of this release in this directory, which is not running. */
async function installEmbedded(directory: string): Promise<void> {
  const server = await startEmbedded({ dataDir: directory, log: quietLog });
  const db = openDatabase({ connection: server.connection, max: 1, log: quietLog, applicationName: "test" });
  await migrate(db);
  await db.close();
  await server.stop();
}

async function stopEmbedded(directory: string): Promise<void> {
  await (await startEmbedded({ dataDir: directory, log: quietLog })).stop();
}

async function call(
  stand: Stand,
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  { body, key, account = stand.account, timeoutMs = 60_000 }: Call & { body?: unknown },
): Promise<Answer> {
  const token = path.startsWith("/v3") ? account.apiKey : account.accessToken;
  const answer = await request(stand.url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function addChannel(
  stand: Stand,
  count: number,
  { account, receiver }: { account: Account; receiver: Receiver },
): Promise<Channel> {
  const names = Array.from({ length: count }, () => String(++people));
  const bot = await stand.telegram.addBot(names);
  await must(
    stand.call(
      "PATCH",
      "/v3/webhooks",
      { webhooksUri: receiver.url, subscriptions: { messagesAndStatuses: true } },
      { account },
    ),
  );
  const credentials = { telegram_token: bot.token };
  const { json } = await must(
    stand.call("POST", "/v2/channels", { transport: "telegram", credentials }, { account }),
  );
  const [{ channel_id: id = "" } = {}] = (json as { data: { channel_id: string }[] }).data;
  await vi.waitUntil(() => isActive(stand, id, account), { interval: 50 });
  return { id, bot, people: names };
}

async function isActive(stand: Stand, channelId: string, account: Account): Promise<boolean> {
  const { json } = await must(stand.call("GET", `/v2/channels/${channelId}`, undefined, { account }));
  return JSON.stringify(json).includes('"status":"active"');
}

/** The answer, which has to be a success. */
export async function must(answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering;
  if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.json)}`);
  return answer;
}

/** Sends a text and answers the message's id. */
export async function send(stand: Stand, channel: Channel, chatId: string, text: string): Promise<string> {
  const { json } = await must(stand.call("POST", "/v2/messages", messageBody(channel, chatId, text)));
  return requestId(json);
}

export function messageBody(channel: Channel, chatId: string, text: string): object {
  return { channel_id: channel.id, recipient: { chat_type: "telegram", chat_id: chatId }, text };
}

export function requestId(json: unknown): string {
  return (json as { data: { request_id: string } }).data.request_id;
}
