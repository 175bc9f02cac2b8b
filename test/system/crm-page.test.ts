import { execFile, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { connectByKeys } from "../../sandbox/walk/page.ts";
import { INHERITED } from "../kit/environment.ts";
import { type ServiceProcess, startService } from "../kit/service.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/crm-in-15-minutes.md"), "utf8");
const GUARD = join(ROOT, "test/kit/egress-guard.ts");
const directory = mkdtempSync(join(tmpdir(), "trunkline-crm-page-"));
// The embedded server may run as another user, and temporary directories are closed to others.
chmodSync(directory, 0o755);
const egressLog = join(directory, "egress");

const blocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, block = ""]) => block);

let service: ServiceProcess;
let sandboxUrl: string;
let crm: ReturnType<typeof spawn> | undefined;
const environment = (): Record<string, string> => ({
  ...(INHERITED as Record<string, string>),
  DATA_DIR: directory,
});

beforeAll(async () => {
  service = await startService({
    DATA_DIR: directory,
    SANDBOX: "1",
    SANDBOX_PORT: "0",
    ALLOW_NETWORKS: "",
    NODE_OPTIONS: `--import=${GUARD}`,
    EGRESS_LOG: egressLog,
    EGRESS_ALLOWED: "loopback",
  });
  const printed = /(http:\S+)\/admin\/telegram\/messages/;
  await vi.waitUntil(() => printed.test(service.output()), { timeout: 60_000, interval: 50 });
  sandboxUrl = printed.exec(service.output())?.[1] ?? "";
});
afterAll(async () => {
  crm?.kill("SIGKILL");
  await service.end("SIGTERM");
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});

const values: Record<string, string> = {};

/** Runs the commands as a person pastes them; resolves with what they print. */
async function paste(block: string): Promise<string> {
  const commands = Object.entries(values)
    .reduce((text, [name, value]) => text.replaceAll(name, value), block)
    .replaceAll("http://127.0.0.1:8080", service.url)
    .replaceAll("curl ", "curl --silent --show-error --fail ")
    .replaceAll("npm run cli --", `${process.execPath} ${join(ROOT, "src/cli/main.ts")}`);
  const { stdout } = await promisify(execFile)("bash", ["-e", "-c", commands], {
    env: { ...environment(), no_proxy: "*" },
  });
  return stdout;
}

/** The CRM of the page, as a process. */
function startCrm(): { lines(): string[]; output(): string } {
  const file = join(directory, "crm.mjs");
  writeFileSync(file, blocks("js").join("\n"));
  const { ACCESS_TOKEN = "", API_KEY = "" } = values;
  const child = spawn(process.execPath, [file], {
    env: { ...environment(), SERVICE: service.url, SANDBOX: sandboxUrl, ACCESS_TOKEN, API_KEY, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  crm = child;
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  child.once("exit", (code) => (output += `\nended with ${code}`));
  return { output: () => output, lines: () => output.split("\n").filter((line) => line !== "") };
}

/** The table of demo accounts: credentials by transport. */
const TABLE = Object.fromEntries(
  [...PAGE.matchAll(/^\| `(\w+)` \| [^|{]*`?(\{.*\})?`? ?[^|]*\| (\d+) \|$/gm)].map(
    ([, transport = "", json]) => [
      transport,
      json === undefined ? {} : (JSON.parse(json) as Record<string, string>),
    ],
  ),
);

test("the table has the ten messengers, and the credentials of the code", () => {
  expect(Object.keys(TABLE)).toHaveLength(10);
  const code = blocks("js").join("\n");
  for (const [transport, credentials] of Object.entries(TABLE))
    for (const [name, value] of Object.entries(credentials))
      expect(transport === "vk" || code.includes(`${name}: "${value}"`), `${transport} ${name}`).toBe(true);
});

test("the commands and the program of the page work from the first line to the last, with all ten messengers", async () => {
  const printed = service.output();
  values["ACCESS_TOKEN"] = /tl_at_\S+/.exec(printed)?.[0] ?? "";
  values["API_KEY"] = /tl_ak_\S+/.exec(printed)?.[0] ?? "";
  values["ACCOUNT"] = /account was created: (\d+)/.exec(printed)?.[1] ?? "";
  await paste(blocks("sh")[0] ?? "");

  const running = startCrm();
  const printedLine = (pattern: RegExp): Promise<RegExpExecArray> =>
    vi.waitUntil(
      () => {
        if (/ended with/.test(running.output())) throw new Error(running.output());
        return pattern.exec(running.output());
      },
      { timeout: 120_000, interval: 50 },
    );
  const [, link = ""] = await printedLine(/connect VK on (\S+)/);
  await connectByKeys(link, "vk", TABLE["vk"] ?? {});
  const [, page = ""] = await printedLine(/the employees' page: (\S+)/);

  const lines = running.lines();
  const count = (pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length;
  expect([count(/ wrote$/), count(/: text sent$/), count(/: file sent$/), count(/: buttons sent$/)]).toEqual([
    10, 10, 10, 4,
  ]);
  expect(count(/^wapi: template sent$/)).toBe(1);
  expect(count(/^contacts: 10$/)).toBe(1);
  const frame = /src="([^"]+)"/.exec(await (await fetch(page)).text())?.[1] ?? "";
  const shown = await fetch(frame);
  expect(shown.status).toBe(200);
  expect(shown.headers.get("content-security-policy")).toContain("frame-ancestors http://127.0.0.1:3000");
});

test("neither service nor sandbox asks for an address outside this machine", () => {
  const notes = readFileSync(egressLog, "utf8").trim().split("\n");
  expect(notes.length).toBeGreaterThan(1);
  expect(
    notes.map((line) => JSON.parse(line) as { kind: string }).filter(({ kind }) => kind !== "started"),
  ).toEqual([]);
});
