import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { credentialsContext } from "../../src/core/channel/credentials/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { createSeal } from "../../src/platform/seal.ts";
import { parseSecretKey } from "../../src/platform/secret-key.ts";
import { type Stand, startStand } from "../kit/stand.ts";

const CHANNELS = 300;

let stand: Stand;

beforeAll(async () => {
  stand = await startStand();
  const seal = createSeal(parseSecretKey(stand.environment["SECRET_KEY"] ?? ""));
  const rows: object[] = [];
  for (let n = 0; n < CHANNELS; n++) {
    const id = newId();
    const { token } = await stand.telegram.admin<{ token: string }>("POST /bots", {});
    const credentials = JSON.stringify({ telegram_token: token });
    rows.push({ id, credentials: seal.seal(credentials, credentialsContext(id)).toString("hex") });
  }
  await stand.db.query(
    `insert into channels (account_id, id, transport, status, credentials)
     select $1, id, 'telegram', 'init', decode(credentials, 'hex')
     from json_to_recordset($2::json) as r(id uuid, credentials text)`,
    [stand.account.accountId, JSON.stringify(rows)],
  );
});
afterAll(() => stand.stop());
beforeEach(async () => {
  await stand.db.query("update channels set status = 'init'");
});

const active = async (): Promise<number> => {
  const [row] = await stand.db.query<{ n: number }>(
    "select count(*)::int as n from channels where status = 'active'",
  );
  return row?.n ?? 0;
};

/** The channels that are active and have been acquired since the given epochs. */
const reopened = async (epochs: string): Promise<number> => {
  const [row] = await stand.db.query<{ n: number }>(
    `select count(*)::int as n from channels c join json_each_text($1::json) e on e.key = c.id::text
     where c.status = 'active' and c.epoch > e.value::int`,
    [epochs],
  );
  return row?.n ?? 0;
};

const isLeaseOver = async (): Promise<boolean> =>
  (await stand.db.query("select 1 from nodes where lease_until > now()")).length === 0;

test("all channels of a node are reopened, and it keeps its lease; after a lost lease they are reopened, too", async () => {
  const service = await stand.start();
  await vi.waitUntil(async () => (await active()) === CHANNELS, { timeout: 120_000, interval: 200 });
  expect(service.output()).not.toContain("lost its lease");
  expect(service.output()).not.toContain("connections to PostgreSQL were busy");
  service.child.kill("SIGSTOP");
  await vi.waitUntil(isLeaseOver, { timeout: 30_000 });
  const [{ epochs } = { epochs: "" }] = await stand.db.query<{ epochs: string }>(
    "select json_object_agg(id, epoch)::text as epochs from channels",
  );
  service.child.kill("SIGCONT");
  await vi.waitUntil(async () => (await reopened(epochs)) === CHANNELS, { timeout: 120_000, interval: 200 });
  const [loss = "{}"] = service.output().match(/^.*lost its lease.*$/m) ?? [];
  expect(JSON.parse(loss)).toMatchObject({
    losses: 1,
    pauseMs: 0,
    cause: "the process was blocked, frozen or short of processor time",
  });
  await service.end("SIGTERM");
});

test.runIf(process.platform === "linux")(
  "a node whose file limit is below its number of channels keeps running, and reports why they wait",
  async () => {
    const service = await stand.start();
    await promisify(execFile)("prlimit", ["--pid", String(service.child.pid), "--nofile=250:250"]);
    await vi.waitUntil(() => service.output().includes("file descriptors left"), { timeout: 60_000 });
    expect(await active()).toBeGreaterThan(0);
    expect((await stand.call("GET", "/v3/channels")).status).toBe(200);
    await service.end("SIGKILL");
  },
);
