import { expect, test } from "vitest";
import { cancelWaiting } from "../../src/core/message/clear.ts";
import { deleteHistoryBatch } from "../../src/core/message/forgotten-channels.ts";
import { failOrphanedJobs } from "../../src/core/message/orphaned-jobs.ts";
import { removeChannel } from "../../src/core/message/remove-channel.ts";
import { firstIdAt, newId } from "../../src/platform/ids.ts";
import { retentionSteps } from "../../src/work/upkeep/retention.ts";
import { type Actor, inTurn } from "./explorer.ts";
import { exploreSends } from "./sends-orders.ts";
import type { SendsWorld } from "./sends-world.ts";

/**
 * Actions of operators, clients, messengers and the upkeep on messages while they are sent, in every order of their
 * statements. `sends.test.ts` states the invariants.
 */

const { everyOrder, core } = exploreSends();

const now = (actor: Actor) => actor(core().db as never);
const IDEMPOTENT = { idempotentForMs: null };

const clear =
  ({ accountId, channelId }: SendsWorld): Actor =>
  (steps) =>
    cancelWaiting({ ...core(), db: steps as never }, { accountId, channelId });

test("an operator clears a channel while it sends and accepts", async () => {
  await everyOrder(
    async (world) => {
      const node = await world.takeOver();
      await now(inTurn(world.accept("a"), world.accept("b")));
      return {
        actors: [clear(world), world.work(node), world.accept("late", { late: true })],
        heir: () => node,
      };
    },
    { interruptions: 1 },
  );
});

test.each([0, 1, 2, 3, 4])(
  "an operator's command whose response to statement %d is lost is repeated while the channel sends",
  async (loses) => {
    await everyOrder(
      async (world) => {
        const node = await world.takeOver();
        await now(inTurn(world.accept("a"), world.accept("b", { chat: newId() })));
        return {
          actors: [clear(world), inTurn(world.work(node), clear(world))],
          afterwards: () => now(clear(world)),
          heir: () => node,
        };
      },
      { loses, interruptions: 1 },
    );
  },
);

test("a channel is cleared while a node sends accepted messages without reading them", async () => {
  await everyOrder(
    async (world) => {
      const node = await world.takeOver();
      return { actors: [world.acceptAndSend("a", node), clear(world)], heir: () => node };
    },
    { resend: IDEMPOTENT },
  );
});

const deleteChannel =
  ({ accountId, channelId }: SendsWorld, { deleteChats }: { deleteChats: boolean }): Actor =>
  (steps) =>
    removeChannel({ ...core(), db: steps as never }, { accountId }, channelId, { deleteChats });

/** The channel's owner has logged out at the messenger, and the upkeep ends what is left. */
async function endChannel({ channelId }: SendsWorld): Promise<void> {
  await core().db.query("update channels set owner = null where id = $1", [channelId]);
  while ((await failOrphanedJobs(core())) > 0);
  // Immediately, and an hour later.
  for (let pass = 1; pass <= 2; pass += 1) {
    await core().db.query("update forgotten_channels set due = now()");
    while (await core().db.tx((tx) => deleteHistoryBatch(tx)));
  }
}

test("a channel is deleted while it sends and accepts: every message is reported", async () => {
  await everyOrder(
    async (world) => {
      const node = await world.takeOver();
      await now(world.accept("a"));
      return {
        actors: [
          deleteChannel(world, { deleteChats: false }),
          world.work(node),
          world.accept("late", { late: true }),
        ],
        afterwards: () => endChannel(world),
        heir: () => node,
        mayBeUnknown: true,
      };
    },
    { interruptions: 1 },
  );
});

test("a channel is deleted with its chats while it sends and accepts: nothing of them is left", async () => {
  await everyOrder(
    async (world) => {
      const node = await world.takeOver();
      await now(world.accept("a"));
      return {
        actors: [
          deleteChannel(world, { deleteChats: true }),
          world.work(node),
          world.accept("late", { late: true }),
        ],
        afterwards: () => endChannel(world),
        heir: () => world.takeOver(),
        mayBeUnknown: true,
        mayBeDeleted: true,
        check: (outcomes) => expect(outcomes).toEqual({}),
      };
    },
    { interruptions: 1 },
  );
});

test("a message reported as delivered before the response to its send is stored ends as delivered", async () => {
  const orders = await everyOrder(
    async (world) => {
      const node = await world.takeOver();
      await now(world.accept("a"));
      return { actors: [world.work(node), world.report("a")], heir: () => node };
    },
    { interruptions: 2 },
  );
  expect(orders).toBeGreaterThan(10);
});

test("a message reported by our id before the outcome of an earlier one is stored keeps its order", async () => {
  const orders = await everyOrder(
    async (world) => {
      const node = await world.takeOver();
      await now(inTurn(world.accept("a"), world.accept("b")));
      return { actors: [world.work(node), world.report("b", { names: true })], heir: () => node };
    },
    { interruptions: 2, resend: IDEMPOTENT },
  );
  expect(orders).toBeGreaterThan(10);
});

test.each([
  ["unsafe", 2],
  ["unsafe", 3],
  ["idempotent", 3],
] as const)(
  "resends are %s, and the node dies before statement %d, with a report that was not applied",
  async (resend, diesAt) => {
    await everyOrder(
      async (world) => {
        const node = await world.takeOver();
        await now(world.accept("a"));
        return {
          actors: [world.work(node, { diesAt }), world.report("a", { appliesEarly: false })],
          heir: () => world.takeOver(),
          mayBeUnknown: true,
        };
      },
      { resend: resend === "unsafe" ? resend : IDEMPOTENT },
    );
  },
);

const DAY_MS = 86_400_000;
const removeOldMessages: Actor = async (steps) => {
  const retention = { eventRetentionDays: 30, auditRetentionDays: 30, messageRetentionDays: 30 };
  const step = retentionSteps(steps as never, retention).find(({ name }) => name === "forget messages");
  await step?.run(new AbortController().signal);
};

test("a message that waited longer than the retention is sent and reported before it is deleted", async () => {
  await everyOrder(
    async (world) => {
      const node = await world.takeOver();
      await now(world.accept("old", { id: oldId() }));
      return {
        actors: [removeOldMessages, world.work(node)],
        heir: () => node,
        mayBeDeleted: true,
        check: async () => expect(await world.statusesOf("old")).toEqual(["sent"]),
      };
    },
    { interruptions: 1 },
  );
});

/** The id of a message accepted forty days ago: ids start with the time in milliseconds. */
function oldId(): string {
  return firstIdAt(Date.now() - 40 * DAY_MS).slice(0, 13) + newId().slice(13);
}
