import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAccount } from "../../src/core/account/accounts.ts";
import { openDatabase } from "../../src/database/database.ts";
import { createLog } from "../../src/platform/log.ts";
import { atMost, percentile, type Row } from "../kit/numbers.ts";
import { queueMessages } from "../kit/queue.ts";
import { startReceiver } from "../kit/receiver.ts";
import { type Stand, subscribe } from "../kit/stand.ts";
import { arriving } from "../receive/inbound.ts";

const QUEUED = 100_000;
const CHATS = 1_000;
const RATE = 200;
const SECONDS = 10;

/** The latency from one tenant's customers to its receiver while another tenant's receiver does not respond. */
export async function benchTenants(stand: Stand): Promise<Row[]> {
  const receiver = await startReceiver();
  const dead = await startDeadReceiver();
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 1, log, applicationName: "bench" });
  const service = await stand.serve();
  try {
    const other = await createAccount(db, { name: "The one whose receiver is dead" });
    await subscribe({ account: other }, service.url, dead.url);
    await subscribe(stand, service.url, receiver.url);
    await arriving(stand, receiver, RATE, 2);
    const alone = await arriving(stand, receiver, RATE, SECONDS);
    await queueMessages({ ...stand, account: other }, { count: QUEUED, chats: CHATS });
    await dead.isAsked;
    const beside = await arriving(stand, receiver, RATE, SECONDS);
    return [
      {
        bench: "tenants",
        figure: `p99 at ${RATE}/s, alone`,
        value: percentile(alone.latencies, 0.99),
        unit: "ms",
      },
      atMost(
        "tenants",
        `p99 at ${RATE}/s beside ${QUEUED} events for a dead receiver`,
        percentile(beside.latencies, 0.99),
        "ms",
        50,
      ),
    ];
  } finally {
    await service.stop();
    await db.close();
    receiver.close();
    dead.close();
  }
}

/** Accepts the test of its address, and responds to no delivery. */
async function startDeadReceiver() {
  const asked = Promise.withResolvers<void>();
  let isTested = false;
  const server = createServer((request, response) => {
    request.resume();
    if (isTested) asked.resolve();
    else response.end();
    isTested = true;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Resolves when the first delivery has arrived. */
    isAsked: asked.promise,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
