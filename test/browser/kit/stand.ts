import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { createAccount } from "../../../src/core/account/accounts.ts";
import { type Database, openDatabase } from "../../../src/database/database.ts";
import { quietLog, startTestDatabase } from "../../kit/database.ts";
import { INHERITED } from "../../kit/environment.ts";
import { type Account, type ServiceProcess, startService } from "../../kit/service.ts";
import { startBrowser } from "./browser.ts";

/** The whole service with its sandbox and an account, and one browser for all tests of a file. */
export interface BrowserStand {
  readonly url: string;
  /** The sandbox's address; the phone is at `/phone`. */
  readonly sandbox: string;
  readonly account: Account;
  readonly service: ServiceProcess;
  readonly browser: Browser;
  readonly environment: Readonly<Record<string, string>>;
  /** A request to the interface with the account's token. */
  api<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T>;
  /** An admin request to an emulated messenger, e.g. `admin("telegram", "POST /people", {...})`. */
  admin<T = Record<string, unknown>>(messenger: string, route: string, body?: object): Promise<T>;
  /** Queries the database directly. */
  readonly db: Database;
  /** Ends the service's connections to its database and refuses new ones, until the returned function is called. */
  closeDatabase(): Promise<() => Promise<void>>;
  /** A link to a page that connects channels. */
  channelsLink(options?: object): Promise<string>;
  close(): Promise<void>;
}

export async function startBrowserStand(
  settings: Readonly<Record<string, string>> = {},
  browserOptions: Parameters<typeof startBrowser>[0] = {},
): Promise<BrowserStand> {
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-browser-"));
  const database = await startTestDatabase();
  const environment = {
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    SECRET_KEY: randomBytes(32).toString("base64"),
    SANDBOX: "1",
    SANDBOX_PORT: "0",
    ...settings,
  };
  const service = await startService(environment);
  const sandbox = await sandboxOf(service);
  const browser = await startBrowser(browserOptions);
  const db = openDatabase({
    connection: database.connection,
    max: 1,
    log: quietLog,
    applicationName: "browser test",
  });
  const account = await createAccount(db, { name: "Shop" });
  const api = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${path.startsWith("/v3/") ? account.apiKey : account.accessToken}`,
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    const text = await answer.text();
    return (text === "OK" ? {} : JSON.parse(text)) as T;
  };
  return {
    url: service.url,
    sandbox,
    account,
    service,
    browser,
    environment,
    db,
    closeDatabase: database.close,
    api,
    async admin<T>(messenger: string, route: string, body?: object): Promise<T> {
      const [method = "GET", path = "/"] = route.split(" ");
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      const answer = await fetch(`${sandbox}/admin/${messenger}${path}`, init);
      if (!answer.ok) throw new Error(`${messenger} ${route}: ${await answer.text()}`);
      return (await answer.json()) as T;
    },
    async channelsLink(options = {}) {
      const made = await api<{ data: { link: string } }>("POST", "/v2/iframe-links/channels", { options });
      return made.data.link;
    },
    async close() {
      await browser.close();
      await service.end("SIGTERM");
      await db.close();
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The first start prints the address of the emulators' admin API. */
async function sandboxOf(service: ServiceProcess): Promise<string> {
  for (;;) {
    const [, url] = /(http:\/\/[\d.]+:\d+)\/admin\//.exec(service.output()) ?? [];
    if (url !== undefined) return url;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Runs the command line while the service is running. */
export async function runCli({ environment }: BrowserStand, args: readonly string[]): Promise<string> {
  const main = join(import.meta.dirname, "../../../src/cli/main.ts");
  const env = { ...INHERITED, ...environment, SANDBOX: "0" };
  return (await promisify(execFile)(process.execPath, [main, ...args], { env })).stdout;
}
