import { afterEach, expect, test } from "vitest";
import {
  checkInbound,
  checkOutbound,
  checkQueuesEmpty,
  type Load,
  startLoad,
  writeInbound,
} from "../kit/load.ts";
import type { ServiceProcess } from "../kit/service.ts";
import { type Channel, type Stand, startStand } from "../kit/stand.ts";

let stand: Stand;

afterEach(() => stand.stop());

const PEOPLE = 8;
const WRITERS = 6;
const OUTBOUND_PER_ROUND = 12;
const INBOUND_PER_ROUND = 60;

test.each([
  { where: "DATABASE_URL", embedded: false, rounds: 20 },
  { where: "the embedded database", embedded: true, rounds: 6 },
])(
  "$rounds × kill -9 under load lose nothing and send nothing twice, with $where",
  async ({ embedded, rounds }) => {
    stand = await startStand({ embedded, settings: { NODE_LEASE_MS: "1500" } });
    let service = await stand.start();
    const channels = [await stand.addChannel(PEOPLE), await stand.addChannel(PEOPLE)];
    const load = startLoad(stand, channels);
    for (let round = 1; round <= rounds; round++) {
      const moment = await randomMoment(load, channels);
      load.more(OUTBOUND_PER_ROUND);
      for (const channel of channels)
        await writeInbound(stand, channel, { people: WRITERS, count: INBOUND_PER_ROUND, rate: 300 });
      await moment();
      await service.end("SIGKILL");
      service = await stand.start();
    }
    await load.idle();
    const outcome = await checkOutbound(stand, load, channels);
    expect(outcome.sent).toBeGreaterThan(rounds * OUTBOUND_PER_ROUND);
    await checkInbound(stand, rounds * INBOUND_PER_ROUND * channels.length);
    await checkQueuesEmpty(stand);
    await endInOrder(service);
  },
);

/**
 * Resolves after some steps of the round: after an acceptance, an arrival at the messenger, or an item at the
 * receiver.
 */
async function randomMoment(load: Load, channels: readonly Channel[]): Promise<() => Promise<unknown>> {
  const steps = 1 + Math.floor(Math.random() * 60);
  const [{ bot } = { bot: undefined }] = channels;
  if (bot === undefined) throw new Error("there is no channel");
  const accepted = load.accepted.length;
  const sent = await bot.sentTotal();
  const told = stand.receiver.taken().length;
  const moments = [
    () => load.untilAccepted(accepted + steps),
    () => bot.untilSent(sent + steps),
    // Not requests: a busy service puts a whole round into a few of them.
    () => stand.receiver.until(() => stand.receiver.taken().length >= told + steps),
  ];
  return moments[Math.floor(Math.random() * moments.length)] ?? moments[0] ?? (() => Promise.resolve());
}

async function endInOrder(service: ServiceProcess): Promise<void> {
  expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
}
