import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { type Receiver, startReceiver } from "../kit/receiver.ts";
import { type Environment, type ServiceProcess, startService } from "../kit/service.ts";

const directory = mkdtempSync(join(tmpdir(), "trunkline-defaults-"));
// The embedded server may run as another user, and temporary directories are closed to others.
chmodSync(directory, 0o755);
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));

async function start(settings: Environment): Promise<ServiceProcess> {
  const service = await startService({
    DATA_DIR: directory,
    SANDBOX_PORT: "0",
    ALLOW_NETWORKS: "",
    ...settings,
  });
  onTestFinished(() => void service.child.kill("SIGKILL"));
  return service;
}

interface Keys {
  readonly access: string;
  readonly api: string;
}

/** As the first start prints them. */
async function demoKeys(service: ServiceProcess): Promise<Keys> {
  const found = await expect
    .poll(() => /\(\/v2\) +(\S+)\s+API key \(\/v3\) +(\S+)/.exec(service.output()))
    .not.toBeNull()
    .then(() => /\(\/v2\) +(\S+)\s+API key \(\/v3\) +(\S+)/.exec(service.output()));
  return { access: found?.[1] ?? "", api: found?.[2] ?? "" };
}

async function ask(service: ServiceProcess, path: string, token: string, body?: unknown): Promise<Response> {
  return fetch(service.url + path, {
    method: body === undefined ? "GET" : "PATCH",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const statuses = async (service: ServiceProcess, { access, api }: Keys): Promise<number[]> => [
  (await ask(service, "/v2/channels", access)).status,
  (await ask(service, "/v3/webhooks", api)).status,
];

/** Whether the demo account may have its webhooks at another port of this machine. */
async function mayReach(service: ServiceProcess, { api }: Keys, receiver: Receiver): Promise<number> {
  return (await ask(service, "/v3/webhooks", api, { webhooksUri: receiver.url })).status;
}

/** The process of the sandbox, a child of the service. */
function sandboxPid({ child: { pid } }: ServiceProcess): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const found = children.find((each) =>
    readFileSync(`/proc/${each}/cmdline`, "utf8").includes("sandbox/main"),
  );
  return Number(found);
}

test("the demo account ends with the sandbox, and does not open a service that others can reach", async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());

  const local = await start({ SANDBOX: "1" });
  const keys = await demoKeys(local);
  expect(await statuses(local, keys)).toEqual([200, 200]);
  expect(await mayReach(local, keys, receiver)).toBe(200);
  expect(statSync(join(directory, "sandbox")).mode & 0o777).toBe(0o700);
  await local.end("SIGTERM");

  const production = await start({ SANDBOX: "0" });
  expect(production.output()).toContain("the demo account was closed");
  expect(await statuses(production, keys)).toEqual([401, 401]);
  await production.end("SIGTERM");

  const reachable = await start({ SANDBOX: "1", PUBLIC_URL: "https://gw.example.com" });
  expect(reachable.output()).toContain("SANDBOX=1 on a service that others can reach");
  const fresh = await demoKeys(reachable);
  expect(await statuses(reachable, keys)).toEqual([401, 401]);
  expect(await statuses(reachable, fresh)).toEqual([200, 200]);
  expect(await mayReach(reachable, fresh, receiver)).toBe(400);
  await reachable.end("SIGTERM");
});

test("a sandbox that dies is reported, and the service continues", async () => {
  const service = await start({ SANDBOX: "1" });
  process.kill(sandboxPid(service), "SIGKILL");
  await expect.poll(() => service.output()).toMatch(/the sandbox ended: restart the service/);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  await service.end("SIGTERM");
});
