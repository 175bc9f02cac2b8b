import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDatabase, type TestDatabase } from "../kit/database.ts";
import { INHERITED } from "../kit/environment.ts";
import { startReceiver } from "../kit/receiver.ts";
import { createAccount, type ServiceProcess, startService } from "../kit/service.ts";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");
const [OLD, NEW] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];

let database: TestDatabase;
let directory: string;
const running: ServiceProcess[] = [];

beforeAll(async () => {
  database = await startTestDatabase();
  directory = mkdtempSync(join(tmpdir(), "trunkline-keys-"));
});
afterAll(async () => {
  await Promise.all(running.map((service) => service.end("SIGKILL")));
  await database.stop();
  rmSync(directory, { recursive: true, force: true });
});

const environment = (keys: Record<string, string>) => ({
  DATA_DIR: directory,
  DATABASE_URL: database.url,
  ...keys,
});
async function start(keys: Record<string, string>, name: string): Promise<ServiceProcess> {
  const service = await startService({ ...environment(keys), NODE_NAME: name });
  running.push(service);
  return service;
}
async function run(keys: Record<string, string>, ...args: string[]) {
  const env = { ...INHERITED, ...environment(keys) };
  const command = promisify(execFile)(process.execPath, [MAIN, ...args], { env, cwd: directory });
  return command.then(
    ({ stdout, stderr }) => ({ status: 0, out: stdout, err: stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      status: error.code,
      out: error.stdout,
      err: error.stderr,
    }),
  );
}

test("a key is replaced while nodes serve, and the old one is useless afterwards", async () => {
  const receiver = await startReceiver();
  const first = await start({ SECRET_KEY: OLD }, "first");
  const { apiKey } = await createAccount(environment({ SECRET_KEY: OLD }));
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const set = (service: ServiceProcess, body: object) =>
    fetch(`${service.url}/v3/webhooks`, { method: "PATCH", headers, body: JSON.stringify(body) });
  const secret = async (service: ServiceProcess) =>
    ((await (await fetch(`${service.url}/v3/webhooks/secret`, { headers })).json()) as { secret: string })
      .secret;
  expect((await set(first, { webhooksUri: receiver.url, crmKey: "k-1" })).status).toBe(200);
  const known = await secret(first);

  // The nodes are restarted one after the other: first with the new key as the second one, then with the keys
  // swapped.
  const both = await start({ SECRET_KEY: OLD, SECRET_KEY_OTHER: NEW }, "second");
  await first.end("SIGTERM");
  const third = await start({ SECRET_KEY: NEW, SECRET_KEY_OTHER: OLD }, "third");
  expect(await secret(third)).toBe(known);
  const early = await run({ SECRET_KEY: NEW, SECRET_KEY_OTHER: OLD }, "key", "rotate");
  expect([early.status, early.err]).toEqual([1, expect.stringContaining("another key: second")]);
  await both.end("SIGTERM");

  const rotated = await run({ SECRET_KEY: NEW, SECRET_KEY_OTHER: OLD }, "key", "rotate", "--json");
  expect([rotated.status, rotated.err]).toEqual([0, expect.stringContaining("webhook_endpoints.secret: 1")]);
  const { columns } = JSON.parse(rotated.out) as {
    columns: { table: string; column: string; resealed: number; unreadable: number }[];
  };
  const endpoint = columns.filter(({ table }) => table === "webhook_endpoints");
  expect(endpoint.map(({ column, resealed }) => [column, resealed])).toEqual([
    ["crm_key", 1],
    ["secret", 1],
    ["previous_secret", 0],
  ]);
  expect(await secret(third)).toBe(known);

  const last = await start({ SECRET_KEY: NEW }, "last");
  expect(await secret(last)).toBe(known);
  expect((await set(last, { webhooksUri: `${receiver.url}/again` })).status).toBe(200);
  await expect(start({ SECRET_KEY: OLD }, "stale")).rejects.toThrow(/used with another SECRET_KEY/);
  const doctor = await run({ SECRET_KEY: NEW }, "doctor", "--json");
  expect(doctor.out).toContain('"key"');
  await receiver.stop();
}, 120_000);
