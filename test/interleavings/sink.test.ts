import { test } from "vitest";
import { inTurn } from "./explorer.ts";
import { expectInOrder, exploreWebhooks } from "./webhook-orders.ts";

/** A receiver that takes single events, so that a part of a batch may be delivered; see `World.becomesSink`. */

const { everyOrder } = exploreWebhooks();

test.each([
  ["does not answer for", null],
  ["refuses", 413],
])(
  "a sink %s an event of one chat: each chat keeps its order, and nothing is published twice without need",
  async (_, status) => {
    await everyOrder(
      async (world) => {
        const sink = await world.addReceiver();
        world.becomesSink(status);
        await world.publish("a", "x", "b", "y")(world.db as never);
        world.refuse("a", 2);
        return {
          actors: [world.deliver(3), inTurn(world.publish("c", "z"), world.deliver(2))],
          check: () => expectInOrder(world, sink),
        };
      },
      { loses: 4, interruptions: 1 },
    );
  },
);

test.each([1, 2])("a node dies after its batch %d, of which the sink has a part", async (batches) => {
  await everyOrder(
    async (world) => {
      const sink = await world.addReceiver();
      world.becomesSink(null);
      await world.publish("a", "x", "b")(world.db as never);
      world.refuse("b", 1);
      return {
        actors: [world.deliverAndDie(batches), world.publish("y")],
        check: () => expectInOrder(world, sink),
      };
    },
    { interruptions: 2 },
  );
});

test("the server crashes while a sink takes parts of batches", async () => {
  await everyOrder(
    async (world) => {
      const sink = await world.addReceiver();
      world.becomesSink(413);
      await world.publish("a", "x")(world.db as never);
      world.refuse("a", 1);
      return {
        actors: [world.deliver(3), world.publish("b", "y"), await world.crash()],
        check: () => expectInOrder(world, sink),
      };
    },
    { interruptions: 1 },
  );
});
