import { startHostileTenant } from "./hostile-tenant.ts";
import { arriving } from "./inbound.ts";
import { atMost, percentile, type Row } from "./numbers.ts";
import { startReceiver } from "./receiver.ts";
import { type Stand, subscribe } from "./stand.ts";

const RATE = 50;
const SECONDS = 8;
const ROUNDS = 2;
const BENCH = "bystander";

/**
 * What one tenant's customers write, 50 a second, reaches its receiver while another tenant does all that it may: the
 * most expensive bodies and callbacks, sends and receivers that hang, the largest settings of webhooks. Both sides are
 * measured in turns, in one run.
 */
export async function benchBystander(stand: Stand): Promise<Row[]> {
  const receiver = await startReceiver();
  const graph = { GRAPH_API_URL: new URL("/wapi", stand.admin).href, RATE_LIMIT_PER_MINUTE: "1000" };
  const service = await stand.serve(graph);
  const sides: Record<"alone" | "beside", number[]> = { alone: [], beside: [] };
  let hostile: Awaited<ReturnType<typeof startHostileTenant>> | undefined;
  try {
    await subscribe(stand, service.url, receiver.url);
    await arriving(stand, receiver, RATE, 2);
    const measure = async (side: keyof typeof sides): Promise<void> => {
      sides[side].push(...(await arriving(stand, receiver, RATE, SECONDS)).latencies);
    };
    await measure("alone");
    hostile = await startHostileTenant(stand, service.url);
    for (let round = 0; round < ROUNDS; round++) {
      const end = hostile.attack();
      await measure("beside");
      console.error("answers to the hostile tenant:", await end());
      if (round + 1 < ROUNDS) await measure("alone");
    }
  } finally {
    await service.stop();
    await hostile?.close();
    receiver.close();
  }
  const [alone, beside] = [sides.alone, sides.beside];
  const ratio = (p: number): number => percentile(beside, p) / percentile(alone, p);
  return [
    ...[0.5, 0.99].map((p) => shown(`p${p * 100} at ${RATE}/s, alone`, percentile(alone, p), "ms")),
    shown(`p50 at ${RATE}/s beside a hostile tenant`, percentile(beside, 0.5), "ms"),
    atMost(BENCH, `p99 at ${RATE}/s beside a hostile tenant`, percentile(beside, 0.99), "ms", 100),
    shown("p50, beside over alone", ratio(0.5), ""),
    shown("p99, beside over alone", ratio(0.99), ""),
  ];
}

function shown(figure: string, value: number, unit: string): Row {
  return { bench: BENCH, figure, value, unit };
}
