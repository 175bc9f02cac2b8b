import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { hostedAccount } from "../../sandbox/wazzup/account.ts";
import { processorSeconds, residentMegabytes } from "../kit/memory.ts";
import type { Row } from "../kit/numbers.ts";
import { run } from "../kit/service-process.ts";
import type { Stand } from "../kit/stand.ts";

const BENCH = "dump";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SAMPLE_MS = 500;
/** Memory may grow by this much between the first half of an import and the second. */
const GROWTH_MB = 50;
const { apiKey, token } = hostedAccount();

/**
 * The takeover of a hosted account with this many messages, as `import wazzup` does it: rows per second and memory of the
 * command, the first time and when it is repeated.
 */
export async function benchDump(stand: Stand, messages: number): Promise<Row[]> {
  const hosted = await run(
    "sandbox/wazzup/main.ts",
    ["--contacts", "0", "--messages", String(messages)],
    {},
    /"url":"(http:[^"]+)"/,
  );
  try {
    return [
      ...rowsOf("first", await importOnce(stand, hosted.url)),
      ...rowsOf("repeated", await importOnce(stand, hosted.url)),
    ];
  } finally {
    await hosted.stop();
  }
}

interface Import {
  readonly read: number;
  readonly added: number;
  readonly seconds: number;
  readonly processorSeconds: number;
  /** Twice a second. */
  readonly megabytes: readonly number[];
}

async function importOnce(stand: Stand, url: string): Promise<Import> {
  const access = ["--v3-url", url, "--api-key", apiKey, "--token", token, "--requests-per-minute", "60000"];
  const account = ["--account", String(stand.account.accountId)];
  const child = spawn(
    process.execPath,
    ["src/cli/main.ts", "import", "wazzup", ...account, ...access, "--from", "2020-01-01", "--json"],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        DATABASE_URL: stand.databaseUrl,
        SECRET_KEY: stand.secretKey,
        DATA_DIR: stand.directory,
        ALLOW_NETWORKS: "127.0.0.0/8",
        SANDBOX: "0",
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const began = performance.now();
  let [output, isOver, spent] = ["", false, 0];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = once(child, "close").then(([code]) => {
    isOver = true;
    if (code !== 0) throw new Error(`import wazzup ended with ${code}`);
  });
  const megabytes: number[] = [];
  const pid = child.pid ?? 0;
  while (!isOver) {
    megabytes.push(await residentMegabytes([pid]));
    spent = Math.max(spent, await processorSeconds([pid]));
    await Promise.race([ended, sleep(SAMPLE_MS)]);
  }
  await ended;
  const { parts } = JSON.parse(output) as { parts: { messages: { read: number; added: number } } };
  const seconds = (performance.now() - began) / 1_000;
  return { ...parts.messages, seconds, processorSeconds: spent, megabytes };
}

function rowsOf(when: string, { read, added, seconds, megabytes, ...cost }: Import): Row[] {
  const shown = (figure: string, value: number, unit: string): Row => ({
    bench: BENCH,
    figure: `${figure}, ${when}`,
    value,
    unit,
  });
  const middle = Math.ceil(megabytes.length / 2);
  const [early, late] = [Math.max(...megabytes.slice(0, middle)), Math.max(0, ...megabytes.slice(middle))];
  return [
    shown("rows", read, ""),
    shown("new messages", added, ""),
    shown("rate", read / seconds, "rows/s"),
    shown("processor time of the command", cost.processorSeconds, "s"),
    shown("resident memory, first half", early, "MB"),
    {
      ...shown("resident memory, second half", late, "MB"),
      goal: `<= ${Math.round(early + GROWTH_MB)}`,
      isMet: late <= early + GROWTH_MB,
    },
  ];
}
