import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "../sandbox/server.ts";
import { type ForeignClient, type Json, type Stage, stepMs } from "./foreign-clients/client.ts";
import { messagingApiTelegram, telegramBotApi } from "./foreign-clients/telegram.ts";
import { messagingApiViber } from "./foreign-clients/viber.ts";
import { whatsappBusiness } from "./foreign-clients/wapi.ts";
import { zapo } from "./foreign-clients/whatsapp.ts";

/**
 * `npm run foreign-clients -- [NAME...]`: client libraries that are no development dependencies, each through a fixed
 * scenario against its emulator. Installs them from the registry at the versions named here, into a temporary directory
 * and without their install scripts. Exits with 1 if one fails. Arguments select by words in a client's or emulator's name.
 */
const known: readonly ForeignClient[] = [
  zapo,
  messagingApiTelegram,
  telegramBotApi,
  messagingApiViber,
  whatsappBusiness,
];

interface Result {
  readonly emulator: string;
  readonly client: string;
  readonly version: string;
  readonly steps: string;
  readonly result: string;
}

const words = process.argv.slice(2);
const chosen = known.filter(
  ({ emulator, name }) => words.length === 0 || words.some((word) => `${emulator} ${name}`.includes(word)),
);
if (chosen.length === 0) {
  console.error(`no such client; there are ${known.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const results: Result[] = [];
const directory = mkdtempSync(join(tmpdir(), "foreign-clients-"));
try {
  for (const client of chosen) results.push(await runAlone(client));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
console.table(results);
// Libraries leave timers and sockets behind.
process.exit(results.every(({ result }) => result === "ok") ? 0 : 1);

/** Installs a client in a directory of its own, and runs it against a sandbox of its own. */
async function runAlone(client: ForeignClient): Promise<Result> {
  const steps: string[] = [];
  const ends: (() => unknown)[] = [];
  const row = { emulator: client.emulator, client: client.name, version: client.version };
  const sandbox = await startSandbox({ seedDemo: true });
  try {
    const load = install(client);
    await client.run({
      url: sandbox.url,
      load,
      admin: adminOf(`${sandbox.url}/admin/${client.emulator}`),
      step: (name, work) => timed(name, work).then(noting(steps, name)),
      atEnd: (end) => ends.push(end),
    });
    return { ...row, steps: steps.join(", "), result: "ok" };
  } catch (error) {
    return {
      ...row,
      steps: steps.join(", "),
      result: error instanceof Error ? error.message : String(error),
    };
  } finally {
    await Promise.allSettled(ends.map(async (end) => end()));
    await sandbox.close();
  }
}

function install({ name, version, peers }: ForeignClient): Stage["load"] {
  const folder = mkdtempSync(join(directory, "client-"));
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const packages = Object.entries({ [name]: version, ...peers }).map((entry) => entry.join("@"));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  const { status, stderr } = spawnSync("npm", ["install", ...options, ...packages], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm install: ${npmErrors(stderr)}`);
  return createRequire(join(folder, "package.json"));
}

/** The first lines of an error of npm, which name its code and cause. */
function npmErrors(stderr: string): string {
  const lines = stderr.split("\n").flatMap((line) => /^npm error (.+)$/.exec(line)?.[1] ?? []);
  return lines.slice(0, 4).join("; ") || stderr;
}

function noting(steps: string[], name: string): <T>(value: T) => T {
  return (value) => {
    steps.push(name);
    return value;
  };
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`took longer than ${stepMs} ms`)), stepMs);
  try {
    return await Promise.race([work(), late.promise]);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

function adminOf(base: string): Stage["admin"] {
  return async (route, body) => {
    const [method = "GET", path = "/"] = route.split(" ");
    const request = body && { body: JSON.stringify(body) };
    const answer = await fetch(base + path, { method, ...request });
    const value = (await answer.json()) as Json;
    if (!answer.ok) throw new Error(`${route}: ${JSON.stringify(value)}`);
    return value;
  };
}
