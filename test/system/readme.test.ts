import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Receiver, startReceiver } from "../kit/receiver.ts";
import { type ServiceProcess, startService } from "../kit/service.ts";

const README = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
const DEMO_BOT = 1000001;

const directory = mkdtempSync(join(tmpdir(), "trunkline-readme-"));
// The embedded server may run as another user, and temporary directories are closed to others.
chmodSync(directory, 0o755);

let receiver: Receiver;
let service: ServiceProcess;
/** The output of the first start. */
let printed: string;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ DATA_DIR: directory, SANDBOX: "1", SANDBOX_PORT: "0", ALLOW_NETWORKS: "" });
  await vi.waitUntil(() => curlsIn(service.output()).length === 2, { timeout: 60_000, interval: 50 });
  printed = service.output();
  await vi.waitUntil(isActive, { timeout: 60_000, interval: 50 });
});
afterAll(async () => {
  await service.end("SIGTERM");
  await receiver.stop();
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});

/** A person who copies a command is slower than the channel. */
async function isActive(): Promise<boolean> {
  const headers = { authorization: `Bearer ${found(/\(\/v2\) +(\S+)/)}` };
  const answer = await fetch(`${service.url}/v2/channels`, { headers });
  return (await answer.text()).includes('"status":"active"');
}

/** The curl commands with their continued lines, as a person copies them. */
function curlsIn(text: string): string[] {
  const joined = text.replaceAll("\\\n", " ").replaceAll(/\n +(?=-[Hd] )/g, " ");
  return joined.split("\n").flatMap((line) => /^\s*(curl .*)$/.exec(line)?.[1] ?? []);
}

const found = (pattern: RegExp): string => pattern.exec(printed)?.[1] ?? "";

/** Prints the status of each request after its response, which is one line. */
const CURL = `curl() { command curl -s --max-time 30 -w ' %{http_code} %{method} %{url}\\n' "$@"; }`;

async function run(commands: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)("bash", ["-c", [CURL, ...commands].join("\n")], {
    env: { ...process.env, no_proxy: "*" },
  });
  return stdout.split("\n").filter((line) => line !== "");
}

const admin = (): string => found(/(http:\S+\/admin\/telegram)\/messages/);

async function arrived(): Promise<string[]> {
  const answer = await fetch(`${admin()}/bots/${DEMO_BOT}/sent?method=sendMessage&limit=100`);
  const { items } = (await answer.json()) as { items: { message: { text: string } }[] };
  return items.map(({ message }) => message.text);
}

test("the emulated sign-in returns to the service, whatever its port", async () => {
  const apps = admin().replace(/telegram$/, "avito/apps");
  const redirects = async () => {
    const { items } = (await (await fetch(apps)).json()) as { items: { redirect_uri: string }[] };
    return items.map(({ redirect_uri }) => redirect_uri);
  };
  await vi.waitUntil(async () => (await redirects()).includes(`${service.url}/connect/avito`), {
    timeout: 60_000,
    interval: 50,
  });
});

test("the commands that the first start prints succeed, and the message arrives", async () => {
  const commands = curlsIn(printed);
  expect(commands).toHaveLength(2);
  expect((await run(commands)).filter((line) => !/ 2\d\d [A-Z]+ \S+$/.test(line))).toEqual([]);
  await expect.poll(arrived).toHaveLength(1);
});

test("every curl command of the README succeeds, one after the other, and its message arrives", async () => {
  const bot = await fetch(`${admin()}/bots`, { method: "POST", body: "{}" });
  const { token } = (await bot.json()) as { token: string };
  const before = (await arrived()).length;
  const commands = curlsIn(README).map((line) =>
    line
      .replaceAll("http://127.0.0.1:8080", service.url)
      .replaceAll("http://127.0.0.1:8090", new URL(admin()).origin)
      .replaceAll("ACCESS_TOKEN", found(/\(\/v2\) +(\S+)/))
      .replaceAll("API_KEY", found(/\(\/v3\) +(\S+)/))
      .replaceAll('"CHANNEL"', `"${found(/"channel_id":"([^"]+)"/)}"`)
      .replaceAll("TOKEN FROM @BotFather", token)
      .replaceAll("https://crm.example/hook", receiver.url),
  );
  expect(commands).toHaveLength(4);
  expect((await run(commands)).filter((line) => !/ 2\d\d [A-Z]+ \S+$/.test(line))).toEqual([]);
  await expect.poll(arrived).toHaveLength(before + 1);
  expect((await arrived()).at(-1)).toBe("Hello from the CRM");
});
