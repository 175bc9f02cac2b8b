import { expect, test } from "vitest";
import { inTurn } from "./explorer.ts";
import { expectInOrder, exploreWebhooks, pause, resume, withDivertedChat } from "./webhook-orders.ts";

/** Publishers hand events to claims that would otherwise read them. The invariants are those of the log and its readers. */

const { everyOrder } = exploreWebhooks();

test("a claim takes events from their publisher while another node publishes too", async () => {
  let handed = 0;
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a")(world.db as never);
      return {
        actors: [world.deliver(3), inTurn(world.hand("b"), world.hand("c")), world.publish("d")],
        check: async () => {
          handed += world.handed;
          expect(world.of(receiver)).toEqual(await world.published());
        },
      };
    },
    { interruptions: 2 },
  );
  expect(handed).toBeGreaterThan(50);
});

test.each([2, 3])(
  "a node dies with its batch %d of events that it took from their publisher: the next one sends the same batch",
  async (batches) => {
    await everyOrder(
      async (world) => {
        const receiver = await world.addReceiver();
        await world.publish("a")(world.db as never);
        return {
          actors: [
            world.deliverAndDie(batches),
            inTurn(world.hand("b"), world.hand("c", "d"), world.hand("e")),
          ],
          check: () => expect(world.of(receiver)).toEqual(["a", "b", "c", "d", "e"]),
        };
      },
      { interruptions: 3 },
    );
  },
);

test("a node that takes events from their publisher loses any of its responses", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a")(world.db as never);
      return {
        actors: [world.deliver(3), inTurn(world.hand("b"), world.hand("c", "d"))],
        check: () => expect(world.of(receiver)).toEqual(["a", "b", "c", "d"]),
      };
    },
    { interruptions: 2, loses: 7 },
  );
});

test.each([2, 3])(
  "the server crashes while a node delivers %d batches of events that it took from their publisher",
  async (batches) => {
    await everyOrder(
      async (world) => {
        const receiver = await world.addReceiver();
        await world.publish("a")(world.db as never);
        return {
          actors: [
            world.deliver(batches),
            inTurn(world.hand("b"), world.hand("c", "d")),
            await world.crash(),
          ],
          check: () => expect(world.of(receiver)).toEqual(["a", "b", "c", "d"]),
        };
      },
      { interruptions: 2 },
    );
  },
);

test("a receiver is paused and resumed while a claim takes events from their publisher", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a")(world.db as never);
      return {
        actors: [
          world.deliver(),
          inTurn(pause(world, receiver), resume(world, receiver)),
          inTurn(world.hand("b"), world.hand("c")),
        ],
        check: () => expect(world.of(receiver)).toEqual(["a", "b", "c"]),
      };
    },
    { interruptions: 1 },
  );
});

test("an item is refused and its chat diverted while a claim takes events from their publisher", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("o")(world.db as never);
      world.refuse("a", 2);
      return {
        actors: [world.deliver(6), inTurn(world.hand("a"), world.hand("b", "y"), world.hand("c"))],
        check: () => expectInOrder(world, receiver),
      };
    },
    { interruptions: 2 },
  );
});

test("a chat is diverted when a claim begins to take events from their publisher", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await withDivertedChat(world);
      await world.publish("y")(world.db as never);
      return {
        actors: [await world.claimed("events", 4), world.hand("b", "z"), await world.claimed("retries", 3)],
        check: () => expectInOrder(world, receiver),
      };
    },
    { interruptions: 1 },
  );
});
