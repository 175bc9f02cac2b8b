import { processorSeconds, processTree } from "./memory.ts";
import type { Row } from "./numbers.ts";
import type { Running } from "./service-process.ts";
import type { Stand } from "./stand.ts";

export const PROCESSES = ["service", "PostgreSQL", "messenger", "generator"] as const;

/** CPU seconds. */
export type Spent = Readonly<Record<(typeof PROCESSES)[number], number>>;

/** What each process has spent since it started; `generator` is this one. */
export async function spentBy(stand: Stand, service: Running): Promise<Spent> {
  const of = async (pid: number): Promise<number> => processorSeconds(await processTree(pid));
  return {
    service: await of(service.pid),
    PostgreSQL: await of(stand.postgresPid),
    messenger: await of(stand.sandboxPid),
    generator: await processorSeconds([process.pid]),
  };
}

/** Rows with the CPU time of each process per item, between two samples. */
export function perItem(
  bench: string,
  figure: string,
  { before, after, items }: { readonly before: Spent; readonly after: Spent; readonly items: number },
): Row[] {
  return PROCESSES.map((name) => ({
    bench,
    figure: `${figure}: ${name}`,
    value: ((after[name] - before[name]) * 1000) / items,
    unit: "ms of processor each",
  }));
}
