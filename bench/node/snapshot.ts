import { openDatabase } from "../../src/database/database.ts";
import { createLog } from "../../src/platform/log.ts";
import { atMost, percentile, type Row } from "../kit/numbers.ts";
import { startReceiver } from "../kit/receiver.ts";
import { type Stand, subscribe } from "../kit/stand.ts";
import { offer, saturate, WARM_UP_SECONDS } from "../send/pipeline.ts";

const RATE = 500;
const SECONDS = 10;
const HELD_SECONDS = 60;

/** The cost of a backup: while it reads, PostgreSQL keeps all row versions. */
export async function benchSnapshot(stand: Stand): Promise<Row[]> {
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 1, log, applicationName: "backup" });
  const receiver = await startReceiver();
  const service = await stand.serve();
  const p50 = async (seconds: number) =>
    percentile((await offer(stand, service.url, receiver, RATE, seconds)).latencies, 0.5);
  try {
    await subscribe(stand, service.url, receiver.url);
    await saturate(stand, service.url, receiver, WARM_UP_SECONDS);
    const alone = await p50(SECONDS);
    // A session has no time limits: in the pool, the server ends a transaction that is idle for five seconds.
    const held = await db.session(async (session) => {
      await session.query("begin isolation level repeatable read");
      await session.query("select 1 from accounts");
      await p50(HELD_SECONDS - SECONDS);
      return p50(SECONDS);
    });
    return [
      { bench: "snapshot", figure: `p50 at ${RATE}/s`, value: alone, unit: "ms" },
      {
        bench: "snapshot",
        figure: `p50 at ${RATE}/s, snapshot held for ${HELD_SECONDS} s`,
        value: held,
        unit: "ms",
      },
      atMost("snapshot", "the latter by the former", held / alone, "times", 2),
    ];
  } finally {
    await service.stop();
    await db.close();
    receiver.close();
  }
}
