import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Quotas } from "../../../src/core/base.ts";
import { cellUrl } from "../../../src/core/cell.ts";
import { credentialsContext } from "../../../src/core/channel/credentials/credentials.ts";
import { composeCore } from "../../../src/core/compose.ts";
import type { Core } from "../../../src/core/core.ts";
import type { Directory } from "../../../src/core/directory/directory.ts";
import { createSignals } from "../../../src/core/signals.ts";
import type { Transport } from "../../../src/core/transport/connector.ts";
import type { TransportSetting } from "../../../src/core/transport/definition.ts";
import { createRegistry } from "../../../src/core/transport/registry.ts";
import { type Database, openDatabase } from "../../../src/database/database.ts";
import type { App } from "../../../src/http/app.ts";
import type { PlaceLimits } from "../../../src/http/limit/places.ts";
import type { HttpMetrics } from "../../../src/http/metrics.ts";
import type { Readiness } from "../../../src/http/ops/ops.ts";
import { createHttpServer } from "../../../src/http/server.ts";
import { monotonicMs, systemClock } from "../../../src/platform/clock.ts";
import { createFileStore, type FileStore } from "../../../src/platform/file/files.ts";
import { newId, newSecret } from "../../../src/platform/ids.ts";
import type { Log } from "../../../src/platform/log.ts";
import * as metrics from "../../../src/platform/metrics.ts";
import { createSeal, type Seal } from "../../../src/platform/seal.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { testTransports } from "./transports.ts";

/** A node that serves HTTP and nothing else, on a port of its own. */
export interface TestNode {
  readonly url: string;
  readonly core: Core;
  readonly db: Database;
  readonly http: App;
  stop(): Promise<void>;
}

export interface TestNodeOptions {
  /** Shared by several nodes; without it the node has one of its own, which goes with it. */
  readonly database?: TestDatabase;
  /** Default 0: no limit. */
  readonly rateLimitPerMinute?: number;
  /** Default 1. */
  readonly rateLimitWindowMinutes?: number;
  readonly readiness?: () => Readiness;
  /** Default: a directory of its own. */
  readonly files?: FileStore;
  /** Default: an installation without names. */
  readonly cell?: string;
  /** Default: the loopback network. */
  readonly allowNetworks?: readonly string[];
  /** The operator's proxies by transport; default: none. */
  readonly exits?: Core["settings"]["exits"];
  /** Default: nobody is told of problems. */
  readonly alerts?: Partial<Core["settings"]["alerts"]>;
  /** Default: passwords alone. */
  readonly console?: Partial<Core["settings"]["console"]>;
  /** Default: none. */
  readonly quotas?: Partial<Quotas>;
  /** Default: those of the process, shown at `/metrics`. */
  readonly metrics?: HttpMetrics;
  /** Default: one that says nothing. */
  readonly log?: Log;
  /** Default: one with a key that is the same in all tests. */
  readonly seal?: Seal;
  /** Default: those whose messengers are never reached. */
  readonly transports?: readonly Transport[];
  /** Default: that of the service. */
  readonly pageLimits?: PlaceLimits;
  /** Refills the budgets of callbacks; monotonic milliseconds. */
  readonly callbackClock?: () => number;
  /** Default: none. */
  readonly directory?: Directory;
  /** Default: that of the service. */
  readonly streamBeatMs?: number;
  /** Default: that of the service. */
  readonly fileStallMs?: number;
}

const NO_QUOTAS: Quotas = {
  accounts: 0,
  channels: 0,
  unlinkedChannels: 0,
  fileBytes: 0,
  waitingSends: 0,
  subscriptions: 0,
  employees: 0,
  contacts: 0,
  deals: 0,
  crmBytes: 0,
  cannedAnswers: 0,
  historyMessages: 0,
};

export async function startNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const database = options.database ?? (await startTestDatabase());
  const db = openDatabase({
    connection: database.connection,
    max: 6,
    log: quietLog,
    applicationName: "api test",
  });
  const directory = mkdtempSync(join(tmpdir(), "trunkline-files-"));
  const core = await createCore(db, options.files ?? createFileStore({ directory }), {
    rateLimitPerMinute: options.rateLimitPerMinute ?? 0,
    rateLimitWindowMinutes: options.rateLimitWindowMinutes ?? 1,
    cell: options.cell ?? null,
    allowNetworks: options.allowNetworks ?? ["127.0.0.0/8"],
    quotas: { ...NO_QUOTAS, ...options.quotas },
    log: options.log ?? quietLog,
    seal: options.seal ?? createSeal("a key for tests, long enough"),
    transports: options.transports ?? testTransports,
    exits: options.exits ?? {},
    alerts: { webhook: null, email: null, afterMs: 0, everyMs: 0, ...options.alerts },
    console: { passwords: true, provider: null, ...options.console },
    callbackClock: options.callbackClock ?? monotonicMs,
    directory: options.directory ?? null,
  });
  const readiness = options.readiness ?? (() => ({ ready: true, checks: {} }));
  const http = createHttpServer({
    core,
    readiness,
    log: core.log,
    metrics: options.metrics ?? metrics,
    trustedProxies: ["127.0.0.1/32"],
    ...(options.pageLimits === undefined ? {} : { pageLimits: options.pageLimits }),
    ...(options.streamBeatMs === undefined ? {} : { streamBeatMs: options.streamBeatMs }),
    ...(options.fileStallMs === undefined ? {} : { fileStallMs: options.fileStallMs }),
  });
  await http.listen({ port: 0, host: "127.0.0.1" });
  const { port } = http.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    core,
    db,
    http,
    async stop() {
      await http.close();
      await core.accept.close();
      await core.live.close();
      core.moves.close();
      await db.close();
      if (options.database === undefined) await database.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function createCore(
  db: Database,
  files: FileStore,
  options: Pick<
    Core["settings"],
    | "cell"
    | "rateLimitPerMinute"
    | "rateLimitWindowMinutes"
    | "allowNetworks"
    | "exits"
    | "quotas"
    | "alerts"
    | "console"
  > & {
    readonly log: Log;
    readonly transports: readonly Transport[];
    readonly seal: Seal;
    readonly callbackClock: () => number;
    readonly directory: Directory | null;
  },
): Promise<Core> {
  const { log, transports, seal, callbackClock, directory, ...settings } = options;
  const signals = await createSignals(db, newId());
  const base = {
    db,
    log,
    clock: systemClock,
    seal,
    files,
    transports: createRegistry(transports, defaultSettings(transports)),
    signals,
    settings: {
      publicUrl: cellUrl("http://127.0.0.1", settings.cell),
      installationUrl: "http://127.0.0.1",
      callbacks: false,
      ...settings,
      webhookContentType: "application/json; charset=utf-8",
      messageRetentionDays: 0,
    },
  };
  return composeCore(base, { callbackClock, directory });
}

/** As an operator has them who sets none. */
function defaultSettings(transports: readonly Transport[]): Record<string, Record<string, string>> {
  return Object.fromEntries(
    transports.map(({ definition }) => [
      definition.id,
      Object.fromEntries(
        Object.entries<TransportSetting>(definition.settings).map(([name, { default: value }]) => [
          name,
          value,
        ]),
      ),
    ]),
  );
}

export interface TestAccount {
  readonly id: number;
  /** One token of each kind. */
  readonly access: string;
  readonly api: string;
  readonly sidecar: string;
}

let accounts = 0;
/** Ids have eight digits, and Linux counts processes up to four million. */
const FIRST_ACCOUNT = 10_000_000 + (process.pid % 80_000) * 1_000;

export async function addAccount(db: Database): Promise<TestAccount> {
  const id = FIRST_ACCOUNT + ++accounts;
  await db.query("insert into accounts (id, name) values ($1, 'Test')", [id]);
  const token = (kind: string) => addToken(db, id, kind);
  return { id, access: await token("access"), api: await token("api"), sidecar: await token("sidecar") };
}

export async function addToken(db: Database, accountId: number, kind: string): Promise<string> {
  const token = newSecret();
  await db.query("insert into tokens (hash, account_id, id, kind, hint) values ($1, $2, $3, $4, 'test')", [
    tokenHash(token),
    accountId,
    newId(),
    kind,
  ]);
  return token;
}

export function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** A channel that exists in the tables only. */
export async function addChannel(
  node: TestNode,
  account: Pick<TestAccount, "id">,
  options: {
    transport: string;
    status?: string;
    reason?: string;
    credentials?: object;
    businessId?: string;
  },
): Promise<string> {
  const id = newId();
  const { transport, status = "active", reason = null, credentials = {}, businessId = null } = options;
  const sealed = node.core.seal.seal(JSON.stringify(credentials), credentialsContext(id));
  await node.db.query(
    `insert into channels (account_id, id, transport, status, reason, name, phone, messenger_id, credentials, business_id)
     values ($1, $2, $3, $4, $5, 'Shop', '79990001122', $6, $7, $8)`,
    [account.id, id, transport, status, reason, id, sealed, businessId],
  );
  return id;
}

/** A template of the business with two variables, one in the header. */
export async function addTemplate(
  { db }: TestNode,
  account: TestAccount,
  options: { id?: string; transport: string; businessId: string; name?: string },
): Promise<string> {
  const { id = newId(), transport, businessId, name = "order_ready" } = options;
  const components = [
    { type: "HEADER", format: "TEXT", text: "Order {{1}}" },
    { type: "BODY", text: "Hi {{1}}, it is ready" },
  ];
  await db.query(
    `insert into templates (account_id, id, transport, business_id, external_id, name, language, category, status, components)
     values ($1, $2::uuid, $3, $4, $2::text, $5, 'en_US', 'UTILITY', 'APPROVED', $6)`,
    [account.id, id, transport, businessId, name, JSON.stringify(components)],
  );
  return id;
}
