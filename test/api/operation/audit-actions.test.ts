import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { COMMAND_NAMES, findCommand } from "../../../src/cli/command-list.ts";
import { readCommandConfig } from "../../../src/cli/with-database.ts";
import { resolveSecretKeys } from "../../../src/config.ts";
import { createPartner } from "../../../src/core/account/partners.ts";
import { createToken } from "../../../src/core/account/tokens.ts";
import { actAs } from "../../../src/core/audit/actor.ts";
import { markPayment } from "../../../src/core/channel/payment.ts";
import { startRecording } from "../../../src/core/channel-log/recordings.ts";
import { saveUsers } from "../../../src/core/crm/users.ts";
import { pauseByHand } from "../../../src/core/delivery/receiver/receivers.ts";
import { useSink } from "../../../src/core/delivery/sink/sink.ts";
import { adoptDerivation, openSeal } from "../../../src/core/key/installation-seal.ts";
import { firstLink } from "../../../src/core/operator/links.ts";
import { stopSending } from "../../../src/core/pacing/stop.ts";
import { openDatabase } from "../../../src/database/database.ts";
import type { Seal } from "../../../src/platform/seal.ts";
import { quietLog, startTestDatabase, type TestDatabase } from "../../kit/database.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { call } from "../kit/call.ts";
import { newOperator, PASSWORD, type Person, redeem, signedIn } from "../kit/console.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

const SECRET_KEY = randomBytes(32).toString("base64");
const DIGESTS = ["\\x01", "\\x02"] as const;

let database: TestDatabase;
/** For the command that needs an empty one. */
let empty: TestDatabase;
/** Cells beside that of the node: one to move to, and one that was never used. */
let other: TestDatabase;
let unused: TestDatabase;
let node: TestNode;
let receiver: Receiver;
let dataDir: string;
let account: TestAccount;
let channelId: string;
let receiverId: string;
let root: Person;

beforeAll(async () => {
  [database, empty, other, unused] = await Promise.all([
    startTestDatabase(),
    startTestDatabase(),
    startTestDatabase(),
    startTestDatabase(),
  ]);
  dataDir = mkdtempSync(join(tmpdir(), "trunkline-audit-"));
  // The commands open what the node sealed.
  receiver = await startReceiver();
  node = await startNode({
    database,
    seal: await sealOf(database),
    alerts: {
      webhook: { url: `${receiver.url}/alerts`, secret: "a secret of sixteen or more" },
      email: null,
      afterMs: 3_600_000,
      everyMs: 3_600_000,
    },
  });
  await redeem(node, await firstLink(node.core), { login: "root" });
  root = await signedIn(node, "root");
});

/** That of a service with this database. */
async function sealOf({ url }: TestDatabase): Promise<Seal> {
  configureCommands(database);
  const db = openDatabase({ connection: url, max: 1, log: quietLog, applicationName: "audit test" });
  return resolveSecretKeys(readCommandConfig())
    .then((keys) => openSeal(db, keys))
    .finally(() => db.close());
}

function configureCommands({ url }: TestDatabase): void {
  vi.stubEnv("DATABASE_URL", url);
  vi.stubEnv("SECRET_KEY", SECRET_KEY);
  vi.stubEnv("DATA_DIR", dataDir);
  vi.stubEnv("ALLOW_NETWORKS", "127.0.0.0/8");
  vi.stubEnv("CELL", url === unused.url ? "unused" : "");
}

afterAll(async () => {
  await receiver?.stop();
  await node?.stop();
  await Promise.all([database, empty, other, unused].map((each) => each?.stop()));
  rmSync(dataDir, { recursive: true, force: true });
});

beforeEach(async () => {
  account = await addAccount(node.db);
  channelId = await addChannel(node, account, {
    transport: "telegram",
    credentials: { telegram_token: "good:1" },
  });
  await call(node, "PATCH", "/v3/webhooks", {
    token: account.api,
    body: { webhooksUri: `${receiver.url}/hook`, subscriptions: { messagesAndStatuses: true } },
  });
  const [endpoint] = await node.db.query<{ id: string }>(
    "select id from webhook_endpoints where account_id = $1",
    [account.id],
  );
  receiverId = endpoint?.id ?? "";
});

/** Two reports of the channel's messenger that were refused. */
async function addRefused(): Promise<void> {
  for (const digest of DIGESTS)
    await node.db.query(
      `insert into inbound_dead_letters (account_id, channel_id, digest, stage, payload, reason)
       values ($1, $2, $3, 'payload', '{}', 'text is missing')`,
      [account.id, channelId, digest],
    );
}

/** Accounts move only between cells with the same derivation key. */
async function adoptKey(): Promise<void> {
  configureCommands(database);
  const keys = await resolveSecretKeys(readCommandConfig());
  const db = openDatabase({ connection: other.url, max: 1, log: quietLog, applicationName: "audit test" });
  await adoptDerivation(db, node.db, { ...keys, cell: "other" }).finally(() => db.close());
}

const haveSink = () => useSink(node.db, { url: "nats://127.0.0.1:1", kinds: ["messages"] });

/** Parks an event of the receiver. */
const park = () =>
  node.db.query(
    `insert into webhook_retries (account_id, endpoint_id, cursor_id, state, event_id, kind, subject, body, created_at, reason, parked_at)
     values ($1, $2, $2, 'parked', 1, 'messages', 'm', '{}', now(), 'HTTP 422', now())`,
    [account.id, receiverId],
  );

/** The actions recorded during the work, oldest first; those of this test's preparations are not among them. */
async function recordedBy(work: () => Promise<unknown>, from: TestDatabase = database): Promise<string[]> {
  const db = openDatabase({ connection: from.url, max: 1, log: quietLog, applicationName: "audit test" });
  try {
    const [last] = await db.query<{ id: number }>("select coalesce(max(id), 0) as id from audit_log");
    await work();
    const rows = await db.query<{ action: string; actor: string }>(
      "select action, actor_kind || ' ' || actor_id as actor from audit_log where id > $1 order by id",
      [last?.id ?? 0],
    );
    return rows.map(({ action, actor }) => `${action} by ${actor}`);
  } finally {
    await db.close();
  }
}

interface CommandCase {
  /** What is recorded; empty for a command that changes nothing. */
  readonly records: readonly string[];
  readonly args?: () => readonly string[];
  readonly options?: () => Readonly<Record<string, string>>;
  readonly switches?: readonly string[];
  readonly before?: () => Promise<unknown>;
  readonly database?: () => TestDatabase;
}

const ofAccount = () => ({ account: String(account.id) });
const changes = (record: string, rest: Omit<CommandCase, "records"> = {}): CommandCase => ({
  records: [record],
  ...rest,
});
const READS: CommandCase = { records: [] };

/** Every command of the command line. Commands without `args` and `options` that change nothing are not run. */
const OF_COMMANDS: Readonly<Record<string, CommandCase>> = {
  start: READS,
  migrate: READS,
  doctor: READS,
  // They use the database of the directory, which has no log.
  "directory create": READS,
  "directory show": READS,
  "sandbox walk": READS,
  "account list": READS,
  "token list": READS,
  "partner list": READS,
  "oauth client list": READS,
  "operator list": READS,
  "channel list": READS,
  "channel show": READS,
  "crm show": READS,
  "crm users": READS,
  "webhook list": READS,
  "webhook show": READS,
  "webhook log": READS,
  "webhook parked": READS,
  "inbound refused": READS,
  "inbound show": READS,
  "message export list": READS,
  "sink show": READS,
  "audit list": READS,
  mcp: READS,
  // They need the hosted service: `import-wazzup.test.ts` runs them.
  "import wazzup": READS,
  "import wazzup switch": READS,
  // Leaves its requests in the delivery log.
  "webhook test": { records: [], args: () => [receiverId] },
  "account create": {
    records: ["account.create", "token.create", "token.create"],
    options: () => ({ name: "New" }),
  },
  "account frames": changes("account.frames", {
    options: () => ({ ...ofAccount(), origins: "https://crm.example" }),
  }),
  "account move": changes("account.move", {
    args: () => [String(account.id)],
    options: () => ({ to: other.url, address: "http://127.0.0.1:1", "to-files": dataDir }),
    before: adoptKey,
  }),
  "token create": changes("token.create", { options: () => ({ ...ofAccount(), kind: "sidecar" }) }),
  "token revoke": changes("token.revoke", { args: () => [account.sidecar] }),
  "partner create": {
    records: ["partner.create", "oauth_client.create"],
    options: () => ({ email: "a@crm.example" }),
  },
  "partner password": changes("partner.password", {
    options: () => ({ email: "p@crm.example" }),
    before: () => createPartner(node.db, { email: "p@crm.example", name: "P", password: PASSWORD }, null),
  }),
  "oauth client register": changes("oauth_client.create", {
    options: () => ({ partner: "o@crm.example", name: "App", "redirect-uris": "https://app.example/back" }),
    before: () => createPartner(node.db, { email: "o@crm.example", name: "O", password: PASSWORD }, null),
  }),
  "operator link": changes("operator.invite"),
  "operator remove": changes("operator.remove", {
    args: () => ["gone"],
    before: () => newOperator(node, { role: "viewer", accountId: account.id }, "gone"),
  }),
  "channel pacing": changes("channel.pacing", {
    args: () => [channelId],
    options: () => ({ "per-minute": "7" }),
  }),
  "channel unpaid": changes("channel.unpaid", { args: () => [channelId] }),
  "channel paid": changes("channel.paid", {
    args: () => [channelId],
    before: () => markPayment(node.core, { accountId: account.id, channelId }, "unpaid"),
  }),
  "crm set": changes("crm.settings", { options: () => ({ ...ofAccount(), "new-clients": "in_turn" }) }),
  "crm user": changes("crm.user", {
    args: () => ["7"],
    options: () => ({ ...ofAccount(), "new-clients": "on" }),
    before: () => saveUsers(node.core, { accountId: account.id }, [{ id: "7", name: "Olga" }]),
  }),
  "webhook pause": changes("webhook.pause", { args: () => [receiverId] }),
  "webhook resume": changes("webhook.resume", {
    args: () => [receiverId],
    before: () => pauseByHand(node.db, { accountId: account.id }, receiverId),
  }),
  "webhook secret": changes("webhook.secret", { args: () => [receiverId], options: () => ({ rotate: "1" }) }),
  replay: changes("webhook.replay", { options: ofAccount, switches: ["parked"] }),
  "webhook discard": changes("webhook.discard", {
    args: () => [receiverId],
    options: () => ({ event: "1" }),
    before: park,
  }),
  "sink replay": changes("webhook.replay", {
    args: () => [],
    before: async () => {
      await haveSink();
      await node.db.query(
        `insert into webhook_retries (account_id, endpoint_id, cursor_id, state, event_id, kind, subject, body, created_at, reason, parked_at)
         select account_id, id, id, 'parked', 1, 'messages', 'm', '{}', now(), 'too large', now()
         from webhook_endpoints where version = 'sink' and account_id = $1`,
        [account.id],
      );
    },
  }),
  "sink drop": changes("installation.sink", { args: () => [], switches: ["yes"], before: haveSink }),
  "inbound replay": changes("inbound.replay", { options: ofAccount, before: addRefused }),
  "inbound remove": changes("inbound.remove", { options: ofAccount, before: addRefused }),
  "key rotate": changes("installation.key"),
  "key adopt": changes("installation.key", {
    options: () => ({ from: database.url }),
    database: () => unused,
  }),
  export: changes("installation.export", { args: () => [join(dataDir, "export.gz")] }),
  import: changes("installation.import", { args: () => [join(dataDir, "export.gz")], database: () => empty }),
};

test("the table names every command", () => {
  expect(Object.keys(OF_COMMANDS).toSorted()).toEqual([...COMMAND_NAMES].toSorted());
});

test.each(
  Object.entries(OF_COMMANDS)
    .filter(
      ([, { args, options, records }]) => args !== undefined || options !== undefined || records.length > 0,
    )
    .map(([name, command]) => ({ name, ...command })),
)("$name records $records", async ({ name, records, args, options, switches = [], before, database: of }) => {
  await before?.();
  const used = of?.() ?? database;
  configureCommands(used);
  const command = await findCommand(name.split(" "));
  const run = () =>
    command?.run({
      args: args?.() ?? [],
      options: options?.() ?? {},
      switches,
      json: true,
      print: () => undefined,
      progress: () => undefined,
    });
  const actor = { kind: "operator", id: "night", from: "server-1" } as const;
  const found = await recordedBy(() => actAs(actor, async () => run()), used);
  // An import brings entries with it.
  const own = found.filter(
    (entry) => entry.endsWith(" night") && (name !== "import" || entry.startsWith("installation.import")),
  );
  expect(own).toEqual(records.map((record) => `${record} by operator night`));
});

interface ConsoleCase {
  readonly records: readonly string[];
  /** Below `/app/api/console`; fields of the path are filled in. */
  readonly body?: () => object;
  readonly before?: () => Promise<unknown>;
  /** Fields of the path that are not the account, the channel or the receiver of the test. */
  readonly path?: () => Promise<Readonly<Record<string, string>>>;
}

const recorded = (record: string, rest: Omit<ConsoleCase, "records"> = {}): ConsoleCase => ({
  records: [record],
  ...rest,
});
const ofReceiver = () => ({ receiverId });
let partners = 0;
const ofPartner = async () => {
  const given = { email: `client-${++partners}@crm.example`, name: "Client", password: PASSWORD };
  return { partner: String((await createPartner(node.db, given, null)).id) };
};
const ofOther = async () => ({
  id: String((await newOperator(node, { role: "viewer", accountId: account.id })).me["id"]),
});

/** Every operation of the console, as of its OpenAPI description, that is not a GET. */
const OF_CONSOLE: Readonly<Record<string, ConsoleCase>> = {
  "POST /accounts": {
    records: ["account.create", "token.create", "token.create"],
    body: () => ({ name: "New" }),
  },
  "POST /accounts/{account}/frames": recorded("account.frames", {
    body: () => ({ any: false, origins: ["https://crm.example"] }),
  }),
  "POST /accounts/{account}/tokens": recorded("token.create", { body: () => ({ kind: "sidecar" }) }),
  "DELETE /accounts/{account}/tokens/{token}": recorded("token.revoke", {
    path: async () => ({ token: (await createToken(node.db, account.id, "sidecar")).id }),
  }),
  "POST /accounts/{account}/channels/{channel}/stop": recorded("channel.stop"),
  "POST /accounts/{account}/channels/{channel}/go-on": recorded("channel.go_on", {
    before: () => stopSending(node.core, { accountId: account.id, channelId }),
  }),
  "POST /accounts/{account}/channels/{channel}/queue/clear": recorded("channel.clear", {
    before: async () => {
      const body = { channelId, chatType: "telegram", chatId: "111", text: "Waits" };
      expect((await call(node, "POST", "/v3/message", { token: account.api, body })).status).toBe(201);
    },
  }),
  "POST /accounts/{account}/channels/{channel}/refused/replay": recorded("inbound.replay", {
    before: addRefused,
  }),
  "POST /accounts/{account}/channels/{channel}/refused/remove": recorded("inbound.remove", {
    before: addRefused,
  }),
  "POST /accounts/{account}/channels/{channel}/recording": recorded("channel.record"),
  "DELETE /accounts/{account}/channels/{channel}/recording": recorded("channel.record_end", {
    before: () => startRecording(node.core, { accountId: account.id, channelId }),
  }),
  "POST /accounts/{account}/channels/{channel}/reconnect": recorded("channel.reinit"),
  // What is done on the page is recorded there.
  "POST /accounts/{account}/channels/{channel}/link": { records: [] },
  "PATCH /accounts/{account}/v2/channels/{id}/pacing": recorded("channel.pacing", {
    body: () => ({ per_minute: 7 }),
    path: async () => ({ id: channelId }),
  }),
  "POST /accounts/{account}/v2/messages/messages_dump": recorded("message.export", {
    body: () => ({ start_at: "2024-01-01T00:00:00Z", end_at: "2024-01-02T00:00:00Z" }),
  }),
  "POST /accounts/{account}/v3/webhooks/pause": recorded("webhook.pause", { body: ofReceiver }),
  "POST /accounts/{account}/v3/webhooks/resume": recorded("webhook.resume", {
    body: ofReceiver,
    before: () => pauseByHand(node.db, { accountId: account.id }, receiverId),
  }),
  "PATCH /accounts/{account}/v3/webhooks/receivers/{receiverId}": recorded("webhook.receiver", {
    body: () => ({ concurrency: 2 }),
    path: async () => ({ receiverId }),
  }),
  "POST /accounts/{account}/v3/webhooks/replay": recorded("webhook.replay", {
    body: () => ({ parked: true }),
  }),
  "POST /accounts/{account}/v3/webhooks/discard": recorded("webhook.discard", {
    body: () => ({ eventIds: [1] }),
    before: park,
  }),
  // Leaves its requests in the delivery log.
  "POST /accounts/{account}/v3/webhooks/test": { records: [], body: ofReceiver },
  "POST /alerts/tests": recorded("alert.test"),
  "POST /partners": {
    records: ["partner.create", "oauth_client.create"],
    body: () => ({ email: "by-console@crm.example" }),
  },
  "POST /partners/{partner}/password": recorded("partner.password", { path: ofPartner }),
  "POST /partners/{partner}/clients": recorded("oauth_client.create", {
    body: () => ({ name: "App", redirectUris: ["https://app.example/back"] }),
    path: ofPartner,
  }),
  "POST /operators": recorded("operator.invite", {
    body: () => ({ role: "viewer", account: String(account.id) }),
  }),
  "POST /operators/{id}/links": recorded("operator.reset", { path: ofOther }),
  "DELETE /operators/{id}": recorded("operator.remove", { path: ofOther }),
};

/** Operations on the own access, which console-access.test.ts and console-provider.test.ts cover with their entries. */
const OF_ONESELF = ["/provider", "/links", "/password", "/second-factor", "/session", "/sign-in"];

async function changesOfConsole(): Promise<string[]> {
  const { paths } = (await call(node, "GET", "/app/openapi.json")).json as {
    paths: Record<string, Record<string, unknown>>;
  };
  const prefix = "/app/api/console";
  return Object.entries(paths)
    .filter(([path]) => path.startsWith(`${prefix}/`))
    .filter(([path]) => !OF_ONESELF.some((own) => path.startsWith(prefix + own)))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice(prefix.length)}`),
    )
    .filter((operation) => !operation.startsWith("GET "));
}

test("the table names every operation of the console that changes something", async () => {
  expect(Object.keys(OF_CONSOLE).toSorted()).toEqual((await changesOfConsole()).toSorted());
});

test.each(Object.entries(OF_CONSOLE).map(([operation, each]) => ({ operation, ...each })))(
  "$operation records $records",
  async ({ operation, records, body, before, path: fields }) => {
    await before?.();
    const filled = { account: String(account.id), channel: channelId, ...(await fields?.()) };
    const [method = "", template = ""] = operation.split(" ");
    const path = template.replaceAll(/\{(\w+)\}/g, (_, field: keyof typeof filled) => filled[field]);
    const found = await recordedBy(async () => {
      const answer = await root.ask(
        method as "POST",
        path,
        method === "DELETE" ? undefined : (body?.() ?? {}),
      );
      expect(answer.status, answer.text).toBeLessThan(300);
    });
    expect(found).toEqual(records.map((record) => `${record} by console root`));
  },
);
