import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { createAccount } from "../../src/core/account/accounts.ts";
import { openDatabase } from "../../src/database/database.ts";
import { type EmbeddedServer, startEmbedded } from "../../src/database/embedded.ts";
import { migrate } from "../../src/database/migrate.ts";
import { createLog } from "../../src/platform/log.ts";
import { type Running, run, runService } from "./service-process.ts";

/**
 * The whole installation: PostgreSQL as the service runs it, the emulated messengers, one account with one active
 * channel.
 */
export interface Stand {
  readonly databaseUrl: string;
  readonly postgresPid: number;
  /** The emulated messenger of its channel. */
  readonly messengerUrl: string;
  readonly sandboxUrl: string;
  readonly sandboxPid: number;
  readonly admin: string;
  readonly botId: number;
  readonly account: { readonly accountId: number; readonly accessToken: string; readonly apiKey: string };
  readonly directory: string;
  /** The key for stored secrets. */
  readonly secretKey: string;
  channelId: string;
  /** Starts the service; `env` adds to the benchmark's settings. */
  serve(env?: Readonly<Record<string, string>>): Promise<Running>;
  close(): Promise<void>;
}

export async function buildStand(users: number): Promise<Stand> {
  const directory = await mkdtemp(join(tmpdir(), "trunkline-bench-"));
  const log = createLog({ level: "error", pretty: false });
  const postgres = await startEmbedded({ dataDir: directory, log });
  const killPostgres = (): void => void process.kill(postgres.pid, "SIGQUIT");
  process.once("exit", killPostgres);
  const db = openDatabase({ connection: postgres.connection, log, applicationName: "bench" });
  await migrate(db);
  const account = await createAccount(db, { name: "Benchmark" });
  await db.close();
  const sandbox = await run("sandbox/main.ts", ["--port", "0"], {}, /sandbox: (http:\S+)/);
  const addresses = (await (await fetch(sandbox.url)).json()) as {
    telegram: { url: string; admin: string };
  };
  const bot = await post<{ id: number; token: string }>(`${addresses.telegram.admin}/bots`, {});
  const env = {
    DATABASE_URL: urlOf(postgres),
    SECRET_KEY: "vIbVeIKBxxO4H0mXFKdj6kHM/zf64AAbuFUs+pIq0wA=",
    DATA_DIR: directory,
    PORT: "0",
    SANDBOX: "0",
    TELEGRAM_API_URL: addresses.telegram.url,
    ALLOW_NETWORKS: "127.0.0.0/8",
    RATE_LIMIT_PER_MINUTE: "0",
    QUOTA_CHANNELS: "0",
    QUOTA_UNLINKED_CHANNELS: "0",
    QUOTA_WAITING_SENDS: "0",
    PACING: "off",
    LOG_FORMAT: "json",
    NODE_ENV: "production",
  };
  const stand: Stand = {
    databaseUrl: env.DATABASE_URL,
    postgresPid: postgres.pid,
    messengerUrl: env.TELEGRAM_API_URL,
    sandboxUrl: sandbox.url,
    sandboxPid: sandbox.pid,
    admin: addresses.telegram.admin,
    botId: bot.id,
    account,
    directory,
    secretKey: env.SECRET_KEY,
    channelId: "",
    serve: (more = {}) => runService({ ...env, ...more }),
    async close() {
      await sandbox.stop();
      await postgres.stop();
      process.off("exit", killPostgres);
      await rm(directory, { recursive: true, force: true });
    },
  };
  await openChats(stand, users);
  const service = await stand.serve();
  const api = client(service.url, account.accessToken);
  stand.channelId = await createChannel(api, bot.token);
  await api.close();
  await service.stop();
  return stand;
}

function urlOf({ connection }: EmbeddedServer): string {
  const password = encodeURIComponent(String(connection.password));
  return `postgres://${connection.user}:${password}@localhost/${connection.database}?host=${encodeURIComponent(String(connection.host))}`;
}

/** Ids from which the emulator's load generator numbers its customers. */
const FIRST_USER = 5_000_000;

async function openChats(stand: Stand, users: number): Promise<void> {
  await writeLoad(stand, { users, count: 1, rate: 0 });
}

/** Lets customers write: `count` messages, `rate` a second (0: at once). `startedMs`: when the first was due. */
export async function writeLoad(
  { admin, botId }: Pick<Stand, "admin" | "botId">,
  load: { users: number; count: number; rate: number },
): Promise<{ readonly startedMs: number; lateMs(): Promise<number> }> {
  const { id, started_ms } = await post<{ id: number; started_ms: number }>(`${admin}/load`, {
    bot_id: botId,
    ...load,
  });
  return {
    startedMs: started_ms,
    async lateMs() {
      const run = (await (await fetch(`${admin}/load/${id}`)).json()) as { late_p99_ms: number };
      return run.late_p99_ms;
    },
  };
}

/** The chat of the n-th customer. */
export function chatId(n: number): string {
  return String(FIRST_USER + n);
}

/** Resolves with the id of a telegram channel once it is active. */
export async function createChannel(api: Client, token: string): Promise<string> {
  const created = await api.post<{ data: { channel_id: string }[] }>("/v2/channels", {
    transport: "telegram",
    credentials: { telegram_token: token },
  });
  const id = created.data[0]?.channel_id ?? "";
  for (;;) {
    const { data } = await api.get<{ data: { status: string }[] }>(`/v2/channels/${id}`);
    if (data[0]?.status === "active") return id;
  }
}

/** Sends the account's webhooks to this address. */
export async function subscribe(
  { account }: Pick<Stand, "account">,
  service: string,
  url: string,
): Promise<void> {
  const api = client(service, account.apiKey);
  await api.patch("/v3/webhooks", { webhooksUri: url, subscriptions: { messagesAndStatuses: true } });
  await api.close();
}

export interface Client {
  post<T>(path: string, body: object): Promise<T>;
  get<T>(path: string): Promise<T>;
  patch(path: string, body: object): Promise<void>;
  close(): Promise<void>;
}

/** A lean HTTP client with keep-alive, so that the generator costs little compared with what is measured. */
export function client(url: string, token: string, connections = 128): Client {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  async function ask(method: "GET" | "POST" | "PATCH", path: string, body?: object): Promise<string> {
    const answer = await pool.request({
      method,
      path,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
    return text;
  }
  return {
    post: async <T>(path: string, body: object) => JSON.parse(await ask("POST", path, body)) as T,
    get: async <T>(path: string) => JSON.parse(await ask("GET", path)) as T,
    patch: async (path, body) => void (await ask("PATCH", path, body)),
    close: () => pool.close(),
  };
}

export async function post<T>(url: string, body: object): Promise<T> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}
