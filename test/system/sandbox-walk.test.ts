import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { startProxyServer } from "../../sandbox/proxy-server.ts";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");

const GUARD = join(import.meta.dirname, "../kit/egress-guard.ts");

/** Six ways around a proxy. */
const LEAKY = `
import { createSocket } from "node:dgram";
import { lookup, Resolver } from "node:dns/promises";
import { get } from "node:http";
import { connect } from "node:net";
import { once } from "node:events";
const failed = (emitter) => once(emitter, "error").then(([error]) => { throw error; });
const ways = [
  () => failed(connect(65000, "127.0.0.1")),
  () => failed(get("http://127.0.0.1:65000/")),
  () => fetch("http://127.0.0.1:65000/").catch(({ cause }) => { throw cause; }),
  () => lookup("messenger.example"),
  () => new Resolver().resolve4("messenger.example"),
  () => createSocket("udp4").send("x", 65000, "127.0.0.1"),
];
const codes = [];
for (const way of ways) await Promise.resolve().then(way).catch(({ code }) => codes.push(code));
console.log(codes.join(" "));
process.exit();
`;

interface Walked {
  readonly transport: string;
  readonly failed: number;
  readonly steps: readonly { readonly step: string; readonly ok: boolean; readonly what: string }[];
  readonly problem?: string;
}

const walk = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, [MAIN, "sandbox", "walk", ...args], {
    maxBuffer: 2 ** 26,
    env: { ...process.env, ...env },
  });

const SANDBOX = join(import.meta.dirname, "../../sandbox");
const TRANSPORTS = join(import.meta.dirname, "../../src/transports");
const has = (folder: string, name: string, file: string): boolean => existsSync(join(folder, name, file));
// An emulator may exist before its connector.
const names = readdirSync(SANDBOX).filter(
  (name) => has(SANDBOX, name, "walk.ts") && has(TRANSPORTS, name, "index.ts"),
);

const PASSWORD = { username: "walker", password: "p@ss:word" };

/** What the guard wrote down. */
interface Noted {
  readonly kind: "started" | "connection" | "look-up" | "datagram";
  readonly what: string;
  readonly script: string;
}

async function readNotes(file: string): Promise<Noted[]> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Noted);
}

test("every step of the walks through all transports succeeds behind proxies, and nothing goes around them", async () => {
  const directory = await mkdtemp(join(tmpdir(), "trunkline-egress-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const log = join(directory, "log");
  const proxies = await Promise.all(
    names.map(async (name, index) => {
      const proxy = await startProxyServer({ scheme: index % 2 === 0 ? "socks5" : "http", ...PASSWORD });
      onTestFinished(() => proxy.close());
      return [name, proxy] as const;
    }),
  );
  // Status 1 means that a step failed; the table shows which one.
  const { stdout } = await walk(["--transport", "all", "--json"], {
    ...Object.fromEntries(proxies.map(([name, { url }]) => [`PROXY_${name.toUpperCase()}`, url])),
    NODE_OPTIONS: `--import=${pathToFileURL(GUARD).href}`,
    EGRESS_LOG: log,
    EGRESS_ALLOWED: proxies.map(([, { port }]) => port).join(),
  }).catch((error: { stdout: string }) => error);
  const { failed, walks } = JSON.parse(stdout) as { failed: number; walks: readonly Walked[] };
  const wrong = walks.flatMap(({ transport, steps, problem }) => [
    ...(problem === undefined ? [] : [`${transport}: ${problem}`]),
    ...steps.filter(({ ok }) => !ok).map(({ step, what }) => `${transport}: ${step}: ${what}`),
  ]);
  const notes = await readNotes(log);
  const around = notes.filter(({ kind }) => kind !== "started");
  expect({ wrong, around }).toEqual({ wrong: [], around: [] });
  expect(failed).toBe(0);
  expect(walks.map(({ transport }) => transport).toSorted()).toEqual(names.toSorted());
  for (const { transport, steps } of walks) expect(steps.length, transport).toBeGreaterThan(20);
  for (const [name, { targets, refused }] of proxies)
    expect([targets.length > 0, refused], name).toEqual([true, 0]);
  const workers = new Set(notes.map(({ script }) => basename(dirname(script))));
  for (const name of ["cli", "whatsapp", "tgapi", "max"]) expect(workers).toContain(name);
});

test("the guard refuses and notes what goes around", async () => {
  const directory = await mkdtemp(join(tmpdir(), "trunkline-egress-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const log = join(directory, "log");
  const script = join(directory, "src/worker.ts");
  await mkdir(dirname(script));
  await writeFile(script, LEAKY);
  const env = { ...process.env, EGRESS_LOG: log, EGRESS_ALLOWED: "1" };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", pathToFileURL(GUARD).href, script],
    { env },
  );
  expect(stdout.trim()).toBe("ECONNREFUSED ".repeat(6).trim());
  const kinds = (await readNotes(log)).map(({ kind }) => kind).toSorted();
  expect(kinds).toEqual([
    "connection",
    "connection",
    "connection",
    "datagram",
    "look-up",
    "look-up",
    "started",
  ]);
});

test("a walk through an unknown transport is refused with the list of transports", async () => {
  const refused = walk(["--transport", "pigeon"]);
  await expect(refused).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("telegram") });
});
