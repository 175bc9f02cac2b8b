import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { residentMegabytes } from "../kit/memory.ts";
import { atMost, median, type Row } from "../kit/numbers.ts";
import { runService } from "../kit/service-process.ts";

const ROUNDS = 3;
const IDLE_MS = 5_000;

/** The time of a start until `/readyz`, with embedded database and sandbox, and the memory of an idle node. */
export async function benchStart(): Promise<Row[]> {
  const [first, later, memory]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const directory = await mkdtemp(join(tmpdir(), "trunkline-bench-"));
    first.push((await start(directory, false)).ms);
    const again = await start(directory, true);
    later.push(again.ms);
    memory.push(again.megabytes);
    await rm(directory, { recursive: true, force: true });
  }
  return [
    atMost("start", "first start to /readyz", median(first), "s", 3),
    atMost("start", "later start to /readyz", median(later), "s", 1.5),
    atMost("start", "resident memory of the idle node process", median(memory), "MB", 150),
  ];
}

async function start(directory: string, stayIdle: boolean): Promise<{ ms: number; megabytes: number }> {
  const began = performance.now();
  const env = { DATA_DIR: directory, PORT: "0", SANDBOX: "1", SANDBOX_PORT: "0", LOG_FORMAT: "json" };
  const service = await runService(env);
  try {
    while (!(await fetch(`${service.url}/readyz`)).ok) await sleep(5);
    const ms = (performance.now() - began) / 1000;
    if (stayIdle) await sleep(IDLE_MS);
    return { ms, megabytes: await residentMegabytes([service.pid]) };
  } finally {
    await service.stop();
  }
}
