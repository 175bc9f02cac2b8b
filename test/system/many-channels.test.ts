import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { credentialsContext } from "../../src/core/channel/credentials.ts";
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

test("all of a node's channels come back, and it keeps its lease", async () => {
  const service = await stand.start();
  await vi.waitUntil(async () => (await active()) === CHANNELS, { timeout: 120_000, interval: 200 });
  expect(service.output()).not.toContain("lost its lease");
  expect(service.output()).not.toContain("connections to PostgreSQL were busy");
  await service.end("SIGTERM");
});

test.runIf(process.platform === "linux")(
  "a node that may open fewer files than it has channels lives, and says why they wait",
  async () => {
    const service = await stand.start();
    await promisify(execFile)("prlimit", ["--pid", String(service.child.pid), "--nofile=250:250"]);
    await vi.waitUntil(() => service.output().includes("file descriptors left"), { timeout: 60_000 });
    expect(await active()).toBeGreaterThan(0);
    expect((await stand.call("GET", "/v3/channels")).status).toBe(200);
    await service.end("SIGKILL");
  },
);
