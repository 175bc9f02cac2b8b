import { expect, test } from "vitest";
import { advanceIdleCursors, dropOldestDay } from "../../src/core/delivery/cursor/ended-days.ts";
import { dropQueue, removeSilentCursors } from "../../src/core/delivery/cursor/queues.ts";
import { beginCursors } from "../../src/core/delivery/cursor/waiting.ts";
import { pauseReceiver, resumeReceiver } from "../../src/core/delivery/receiver/pause.ts";
import { addPartitions, openDays } from "../../src/core/event/log-days.ts";
import { letDaysPass, receiversOf } from "../kit/event-log.ts";
import { type Actor, inTurn } from "./explorer.ts";
import {
  expectInOrder,
  exploreWebhooks,
  pause,
  resume,
  type Story,
  withDivertedChat,
} from "./webhook-orders.ts";
import { chatOf, type World } from "./world.ts";

/**
 * Operations of core on the event log and its readers, run concurrently in every order of their statements.
 * Invariants: each event reaches each subscribed receiver, in order, and is acknowledged once.
 */

const { everyOrder, db: database } = exploreWebhooks();

test("two publish while one reads", async () => {
  const orders = await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      return {
        actors: [world.publish("a"), world.publish("b1", "b2"), world.deliver()],
        check: async () => expect(world.of(receiver)).toEqual(await world.published()),
      };
    },
    { interruptions: 2 },
  );
  expect(orders).toBeGreaterThan(20);
});

const UNLOCKED = `insert into events (account_id, kind, subject, body, receivers)
  values ($1, 'messages', $2, $3, ${receiversOf("'messages'")})`;

test("the explorer finds missed events if numbers are drawn without the lock", async () => {
  const careless =
    (world: World, subject: string): Actor =>
    (steps) =>
      steps.tx((tx) => tx.query(UNLOCKED, [world.accountId, subject, JSON.stringify({ subject })]));
  const exploring = everyOrder(async (world) => {
    const receiver = await world.addReceiver();
    return {
      actors: [careless(world, "a"), careless(world, "b"), world.deliver()],
      check: async () => expect(world.of(receiver).toSorted()).toEqual((await world.published()).toSorted()),
    };
  });
  await expect(exploring).rejects.toThrow(/In this order/);
});

test("two nodes deliver, and one loses any of its responses", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a", "b")(world.db as never);
      return {
        actors: [world.deliver(), world.deliver()],
        check: () => expect(world.of(receiver)).toEqual(["a", "b"]),
      };
    },
    { loses: 4 },
  );
});

test("one publishes while a node that loses any of its responses delivers", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a")(world.db as never);
      return {
        actors: [world.deliver(), world.publish("b")],
        check: () => expect(world.of(receiver)).toEqual(["a", "b"]),
      };
    },
    { loses: 4 },
  );
});

test.each([1, 2])(
  "after a node dies with its batch %d, the next one sends the same batch, whatever is published meanwhile",
  async (batches) => {
    const story = async (world: World): Promise<Story> => {
      const receiver = await world.addReceiver();
      await world.publish("a")(world.db as never);
      return {
        actors: [world.deliverAndDie(batches), inTurn(world.publish("b"), world.publish("c"))],
        check: () => expect(world.of(receiver)).toEqual(["a", "b", "c"]),
      };
    };
    await everyOrder(story, { interruptions: 2 });
  },
);

test.each([1, 2])(
  "the server crashes while a node delivers %d batches: what it repeats comes in the same batches",
  async (batches) => {
    await everyOrder(
      async (world) => {
        const receiver = await world.addReceiver();
        await world.publish("a")(world.db as never);
        return {
          actors: [
            world.deliver(batches),
            inTurn(world.publish("b"), world.publish("c", "d")),
            await world.crash(),
          ],
          check: () => expect(world.of(receiver)).toEqual(["a", "b", "c", "d"]),
        };
      },
      { interruptions: 1 },
    );
  },
);

test("a standby without the last commits takes over during a delivery: what follows comes under new ids", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a")(world.db as never);
      const takeOver = await world.remember();
      return {
        actors: [world.deliver(2), inTurn(world.publish("b"), world.publish("c"))],
        check: async () => {
          await takeOver();
          await world.publish("d", "e")(world.db as never);
          await world.finish();
          expect(await world.published()).toEqual(["a", "d", "e"]);
          expect(world.of(receiver)).toEqual(["a", "b", "c", "d", "e"]);
        },
      };
    },
    { interruptions: 1 },
  );
});

test("the clock is set forward and back while a node delivers and another publishes", async () => {
  await everyOrder(
    async (world) => {
      const [last] = await database().query<{ day: number }>(
        "select (last_value >> 32)::int as day from log_ids",
      );
      const today = last?.day ?? 0;
      await database().tx((tx) => addPartitions(tx, today + 2));
      const receiver = await world.addReceiver();
      await world.publish("a")(world.db as never);
      return {
        actors: [
          inTurn(world.deliver(), world.deliver()),
          inTurn(
            (steps) => openDays(steps as never, today + 1),
            world.publish("b"),
            (steps) => openDays(steps as never, today - 1),
            world.publish("c"),
          ),
        ],
        check: () => expect(world.of(receiver)).toEqual(["a", "b", "c"]),
      };
    },
    { interruptions: 1 },
  );
});

test("a receiver that subscribes while two publish gets all events from one on", async () => {
  await everyOrder(
    async (world) => {
      await world.addReceiver();
      const late = await world.addReceiver([]);
      const ends: string[] = [];
      const noting =
        (name: string, actor: Actor): Actor =>
        async (steps) => {
          const before = [...ends];
          await actor(steps);
          if (name === "subscribed") begunAfter = before;
          else if (before.includes("subscribed")) mustHave.push(name);
          ends.push(name);
        };
      let begunAfter: readonly string[] = [];
      const mustHave: string[] = [];
      return {
        actors: [
          noting("a", world.publish("a")),
          noting("b", world.publish("b")),
          noting("subscribed", world.takes(late, ["messages"])),
        ],
        check: async () => {
          const all = await world.published();
          const got = world.of(late);
          expect(got).toEqual(all.slice(all.length - got.length));
          for (const subject of mustHave) expect(got).toContain(subject);
          for (const subject of begunAfter) expect(got).not.toContain(subject);
        },
      };
    },
    { interruptions: 2 },
  );
});

test("a receiver that unsubscribes while one publishes gets the earlier events, and may get the concurrent one", async () => {
  await everyOrder(async (world) => {
    const other = await world.addReceiver();
    const receiver = await world.addReceiver();
    await world.publish("a")(world.db as never);
    return {
      actors: [world.publish("b"), world.takes(receiver, ["statuses"])],
      check: async () => {
        expect(world.of(other)).toEqual(["a", "b"]);
        expect(["a", "a b"]).toContain(world.of(receiver).join(" "));
      },
    };
  });
});

test("a receiver is paused during a delivery, and resumed", async () => {
  await everyOrder(async (world) => {
    const receiver = await world.addReceiver();
    const of = { accountId: world.accountId, endpointId: receiver };
    await world.publish("a", "b")(world.db as never);
    return {
      actors: [world.deliver(), (steps) => steps.tx((tx) => pauseReceiver(tx, of, "asked", ""))],
      check: async () => {
        await resumeReceiver(database(), of);
        await world.finish();
        expect(world.of(receiver)).toEqual(["a", "b"]);
      },
    };
  });
});

test("a receiver is paused and resumed while one delivers and another publishes: nothing is missed", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a")(world.db as never);
      return {
        actors: [
          world.deliver(),
          inTurn(pause(world, receiver), resume(world, receiver)),
          world.publish("b"),
        ],
        check: () => expect(world.of(receiver)).toEqual(["a", "b"]),
      };
    },
    { interruptions: 1 },
  );
});

test("two nodes pause a failing receiver concurrently: it is paused once, with one notice", async () => {
  await everyOrder(async (world) => {
    const receiver = await world.addReceiver();
    await world.publish("a")(world.db as never);
    return {
      actors: [pause(world, receiver), pause(world, receiver)],
      check: async () => {
        const notices = await database().query("select 1 from webhook_notices where endpoint_id = $1", [
          receiver,
        ]);
        expect(notices).toHaveLength(1);
        await resume(world, receiver)(database() as never);
        await world.finish();
        expect(world.of(receiver)).toEqual(["a"]);
      },
    };
  });
});

test("an event is parked while others are published, and two nodes deliver: parked or delivered, never both", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a", "b")(world.db as never);
      world.refuse("a", 2);
      return {
        actors: [world.deliverParking(3), world.deliver(), world.publish("c")],
        check: async () => {
          const parked = await world.parked(receiver);
          expect([...parked, ...world.of(receiver)].toSorted()).toEqual(["a", "b", "c"]);
          expect(parked.length).toBeLessThan(2);
        },
      };
    },
    { interruptions: 1, loses: 4 },
  );
});

test("a subscription ends while one delivers and another publishes: what happened before is delivered", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a")(world.db as never);
      return {
        actors: [world.deliver(), world.takes(receiver, ["statuses"]), world.publish("b")],
        check: () => expect(["a", "a b"]).toContain(world.of(receiver).join(" ")),
      };
    },
    { interruptions: 1 },
  );
});

test("a subscription ends and starts again while one publishes: only events published in between may be missing", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a")(world.db as never);
      return {
        actors: [
          inTurn(world.takes(receiver, ["statuses"]), world.takes(receiver, ["messages"])),
          inTurn(world.publish("b"), world.publish("c")),
          world.deliver(),
        ],
        check: async () => {
          await world.publish("d")(world.db as never);
          await world.finish();
          const got = world.of(receiver);
          expect([got[0], got.at(-1)]).toEqual(["a", "d"]);
          expect(got).toEqual([...got].toSorted());
        },
      };
    },
    { interruptions: 1 },
  );
});

test("a receiver is removed during a delivery: nothing of it is left", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      const other = await world.addReceiver();
      await world.publish("a")(world.db as never);
      const remove: Actor = (steps) =>
        steps.tx(async (tx) => {
          await tx.query("update webhook_endpoints set kinds = '{}' where id = $1", [receiver]);
          await dropQueue(tx, { accountId: world.accountId, endpointId: receiver });
          await beginCursors(tx, world);
        });
      return {
        actors: [remove, world.deliver()],
        check: async () => {
          const left = await database().query("select 1 from webhook_cursors where endpoint_id = $1", [
            receiver,
          ]);
          expect(left).toEqual([]);
          expect(world.of(other)).toEqual(["a"]);
        },
      };
    },
    { interruptions: 2 },
  );
});

test("an item is refused and its chat diverted while others are published and a second node delivers", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a", "x")(world.db as never);
      world.refuse("a", 2);
      return {
        actors: [world.deliver(4), world.publish("b", "y"), world.deliver(2)],
        check: () => expectInOrder(world, receiver),
      };
    },
    { interruptions: 1 },
  );
});

test("the refused event of a chat is delivered while its next one is read from the log", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await withDivertedChat(world);
      await world.publish("y", "b", "z", "c")(world.db as never);
      return {
        actors: [await world.claimed("events", 2), await world.claimed("retries", 3)],
        check: () => expectInOrder(world, receiver),
      };
    },
    { interruptions: 2 },
  );
});

test("a node loses any of its responses while it diverts a chat", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a", "x")(world.db as never);
      world.refuse("a", 2);
      return {
        actors: [world.deliver(4), world.publish("b", "y")],
        check: () => expectInOrder(world, receiver),
      };
    },
    { interruptions: 0, loses: 16 },
  );
});

test("the retries of a chat lose any of their responses while its next event is read", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await withDivertedChat(world);
      await world.publish("b", "y")(world.db as never);
      return {
        actors: [await world.claimed("retries", 3), await world.claimed("events", 2)],
        check: () => expectInOrder(world, receiver),
      };
    },
    { interruptions: 1, loses: 10 },
  );
});

test("the server crashes while a chat is diverted and its events follow", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a", "x")(world.db as never);
      world.refuse("a", 2);
      return {
        actors: [world.deliver(4), world.publish("b", "y"), await world.crash()],
        check: () => expectInOrder(world, receiver),
      };
    },
    { interruptions: 1 },
  );
});

test("a standby without the last commits takes over while a chat is diverted", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a", "x")(world.db as never);
      world.refuse("a", 2);
      const takeOver = await world.remember();
      return {
        actors: [world.deliver(4), world.publish("b")],
        check: async () => {
          await takeOver();
          await world.publish("c", "y")(world.db as never);
          await world.finish();
          const ofFirst = world.of(receiver).filter((subject) => chatOf(subject) === chatOf("a"));
          expect(["a c", "a b c"]).toContain(ofFirst.join(" "));
          expect(world.of(receiver).filter((subject) => chatOf(subject) === chatOf("x"))).toEqual(["x", "y"]);
        },
      };
    },
    { interruptions: 1 },
  );
});

test("a receiver is paused and resumed while a chat is diverted and retried", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await withDivertedChat(world);
      await world.publish("b", "y")(world.db as never);
      return {
        actors: [
          await world.claimed("retries", 2),
          await world.claimed("events", 2),
          inTurn(pause(world, receiver), resume(world, receiver)),
        ],
        check: () => expectInOrder(world, receiver),
      };
    },
    { interruptions: 1 },
  );
});

test("one of two concurrent requests fails, and the node loses any of its responses: its events come once more", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await database().query("update webhook_endpoints set concurrency = 2 where id = $1", [receiver]);
      await world.publish("a", "x", "b", "y")(world.db as never);
      world.refuse("b", 1);
      return {
        actors: [world.deliver(4), world.publish("c", "z")],
        check: () => expectInOrder(world, receiver),
      };
    },
    { interruptions: 1, loses: 8 },
  );
});

test("a queue is dropped while a chat is diverted: nothing of it is left", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a", "x")(world.db as never);
      world.refuse("a", 2);
      return {
        actors: [
          world.deliver(3),
          (steps) => steps.tx((tx) => dropQueue(tx, { accountId: world.accountId, endpointId: receiver })),
        ],
        check: async () => {
          const left = await database().query(
            `select id from webhook_cursors where endpoint_id = $1
             union all select cursor_id from webhook_retries where endpoint_id = $1`,
            [receiver],
          );
          expect(left).toEqual([]);
        },
      };
    },
    { interruptions: 2 },
  );
});

test("a receiver subscribes again while the cursor of its ended subscription is being removed", async () => {
  await everyOrder(async (world) => {
    const receiver = await world.addReceiver();
    await world.takes(receiver, [])(world.db as never);
    return {
      actors: [
        inTurn(world.takes(receiver, ["messages"]), world.publish("a")),
        (steps) => steps.tx((tx) => removeSilentCursors(tx, world.accountId)),
      ],
      check: () => expect(world.of(receiver)).toEqual(["a"]),
    };
  });
});

test("a subscription ends, and its cursor with it, while a node publishes for it", async () => {
  await everyOrder(async (world) => {
    const receiver = await world.addReceiver();
    const end: Actor = (steps) =>
      steps.tx(async (tx) => {
        await world.takes(receiver, [])(tx);
        await removeSilentCursors(tx, world.accountId);
      });
    return {
      actors: [world.publish("a"), end],
      check: async () => expect(world.of(receiver)).toEqual(await world.published()),
    };
  });
});

test("the cursor of an ended subscription is removed while a node delivers its last event", async () => {
  await everyOrder(
    async (world) => {
      const receiver = await world.addReceiver();
      await world.publish("a")(world.db as never);
      return {
        actors: [
          world.deliver(),
          inTurn(world.takes(receiver, []), (steps) => steps.tx((tx) => removeSilentCursors(tx, null))),
        ],
        check: () => expect(world.of(receiver)).toEqual(["a"]),
      };
    },
    { interruptions: 2 },
  );
});

test("old events are copied and dropped while a node delivers them", async () => {
  await everyOrder(
    async (world) => {
      await database().query("delete from webhook_cursors where account_id <> $1", [world.accountId]);
      const receiver = await world.addReceiver();
      await world.publish("a", "b")(world.db as never);
      await letDaysPass(database(), 31);
      await world.publish("c")(world.db as never);
      return {
        actors: [world.deliver(), (steps) => dropOldestDay(steps as never, "events", 30)],
        check: () => expect(world.of(receiver)).toEqual(["a", "b", "c"]),
      };
    },
    { interruptions: 1 },
  );
});

test("idle positions are advanced while a node delivers and another publishes", async () => {
  await everyOrder(
    async (world) => {
      await database().query("delete from webhook_cursors where account_id <> $1", [world.accountId]);
      const receiver = await world.addReceiver();
      await world.publish("a")(world.db as never);
      await letDaysPass(database(), 2);
      return {
        actors: [
          world.deliver(),
          (steps) => steps.tx(async (tx) => void (await advanceIdleCursors(tx))),
          world.publish("b"),
        ],
        check: () => expect(world.of(receiver)).toEqual(["a", "b"]),
      };
    },
    { interruptions: 1 },
  );
});
