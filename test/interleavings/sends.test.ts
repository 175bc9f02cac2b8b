import { describe, expect, test } from "vitest";
import { cancelIfWaiting } from "../../src/core/message/cancel.ts";
import { failOrphanedJobs } from "../../src/core/message/orphaned-jobs.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Actor, inTurn } from "./explorer.ts";
import { exploreSends } from "./sends-orders.ts";
import type { SendingNode, SendsWorld } from "./sends-world.ts";

/**
 * Operations of core on sends, run concurrently in every order of their statements. Invariants: every accepted
 * message is sent, or its error reported; none is sent twice; a client's messages keep their order.
 */

const { everyOrder, core } = exploreSends();

const now = (actor: Actor) => actor(core().db as never);
const IDEMPOTENT = { idempotentForMs: null };

describe("messages of one chat", () => {
  test("accepted while the chat is processed are all sent, including one with a smaller id that is committed late", async () => {
    const orders = await everyOrder(
      async (world) => {
        const node = await world.takeOver();
        return {
          actors: [
            world.accept("late", { late: true }),
            world.accept("early"),
            inTurn(world.work(node), world.work(node)),
          ],
          heir: () => node,
          check: (outcomes) => expect(outcomes).toEqual({ early: "sent", late: "sent" }),
        };
      },
      { interruptions: 2 },
    );
    expect(orders).toBeGreaterThan(20);
  });

  test("sent by one client one after another keep their order beside a late one", async () => {
    await everyOrder(
      async (world) => {
        const node = await world.takeOver();
        return {
          actors: [
            inTurn(world.accept("a1", { late: true }), world.accept("a2")),
            inTurn(world.accept("b1"), world.accept("b2")),
            inTurn(world.work(node), world.work(node)),
          ],
          heir: () => node,
        };
      },
      { interruptions: 2 },
    );
  });

  test("are sent even without a notification, by the poll of all waiting jobs", async () => {
    await everyOrder(
      async (world) => {
        const node = await world.takeOver();
        await now(world.accept("first"));
        return {
          actors: [
            world.work(node),
            inTurn(world.accept("silent", { isTold: false }), world.accept("told")),
            inTurn(world.lookOver(node), world.lookOver(node)),
          ],
          heir: () => node,
          check: (outcomes) => expect(outcomes).toEqual({ first: "sent", silent: "sent", told: "sent" }),
        };
      },
      { interruptions: 2 },
    );
  });
});

describe("a node", () => {
  test.each([0, 1, 2, 3, 4, 5])(
    "that loses the response to statement %d sends everything once",
    async (loses) => {
      await everyOrder(
        async (world) => {
          const node = await world.takeOver();
          await now(world.accept("a"));
          return {
            actors: [inTurn(world.work(node), world.work(node)), world.accept("b")],
            heir: () => node,
          };
        },
        { loses, interruptions: 1 },
      );
    },
  );

  test.each([
    ["unsafe", 1, { a: "sent", b: "sent" }],
    ["unsafe", 2, { a: "sent", b: "sent" }],
    ["unsafe", 3, { a: "UNKNOWN_ERROR", b: "sent" }],
    ["idempotent", 3, { a: "sent", b: "sent" }],
  ] as const)(
    "whose resends are %s and that dies before statement %d is replaced",
    async (resend, diesAt, outcomes) => {
      await everyOrder(
        async (world) => {
          const node = await world.takeOver();
          await now(world.accept("a"));
          return {
            actors: [world.work(node, { diesAt }), world.accept("b")],
            heir: () => world.takeOver(),
            mayBeUnknown: true,
            check: (told) => {
              if (told["b"] === "sent") expect(told).toEqual(outcomes);
            },
          };
        },
        { resend: resend === "unsafe" ? resend : IDEMPOTENT },
      );
    },
  );

  test.each([
    ["unsafe", "notices it", true],
    ["unsafe", "is too slow to notice", false],
    ["idempotent", "is too slow to notice", false],
  ] as const)(
    "whose resends are %s loses the channel to another while it sends, and %s",
    async (resend, _, isNoticed) => {
      await everyOrder(
        async (world) => {
          const first = await world.takeOver();
          await now(world.accept("a"));
          let second: SendingNode | undefined;
          const takesOver: Actor = async (steps) => {
            second = await world.takeOver(steps, { isNoticed });
            await world.lookOver(second)(steps);
            await world.work(second)(steps);
          };
          return {
            actors: [world.work(first), takesOver, world.accept("b")],
            heir: () => second ?? first,
            mayBeUnknown: true,
          };
        },
        { resend: resend === "unsafe" ? resend : IDEMPOTENT, interruptions: 2 },
      );
    },
  );
});

describe("a node that sends accepted messages without reading them", () => {
  test("keeps the order of each client, whatever else is accepted for the chat", async () => {
    await everyOrder(
      async (world) => {
        const node = await world.takeOver();
        return {
          actors: [
            inTurn(world.acceptAndSend("a1", node), world.acceptAndSend("a2", node)),
            inTurn(world.accept("b1", { isTold: false }), world.acceptAndSend("b2", node)),
            inTurn(world.work(node), world.lookOver(node), world.work(node)),
          ],
          heir: () => node,
          check: (told) => expect(told).toEqual({ a1: "sent", a2: "sent", b1: "sent", b2: "sent" }),
        };
      },
      { interruptions: 1 },
    );
  });

  test.each([0, 1, 2, 4])(
    "sends everything once, even if the response to statement %d is lost",
    async (loses) => {
      await everyOrder(
        async (world) => {
          const node = await world.takeOver();
          return {
            actors: [
              inTurn(world.acceptAndSend("a", node), world.work(node)),
              inTurn(world.accept("b"), world.lookOver(node)),
            ],
            heir: () => node,
            check: (told) => expect(told).toEqual({ a: "sent", b: "sent" }),
          };
        },
        { loses, interruptions: 1 },
      );
    },
  );

  test.each([
    ["unsafe", 1, "UNKNOWN_ERROR"],
    ["unsafe", 2, "UNKNOWN_ERROR"],
    ["idempotent", 1, "sent"],
  ] as const)(
    "whose resends are %s dies before statement %d: another node takes over",
    async (resend, diesAt, became) => {
      await everyOrder(
        async (world) => {
          const node = await world.takeOver();
          return {
            actors: [world.acceptAndSend("a", node, { diesAt }), world.accept("b")],
            heir: () => world.takeOver(),
            mayBeUnknown: true,
            check: (told) => {
              expect([became, "sent"]).toContain(told["a"]);
              expect(told["b"]).toBe("sent");
            },
          };
        },
        { resend: resend === "unsafe" ? resend : IDEMPOTENT },
      );
    },
  );

  test.each([
    ["unsafe", "is too slow to notice", false],
    ["idempotent", "is too slow to notice", false],
  ] as const)("whose resends are %s loses the channel meanwhile, and %s", async (resend, _, isNoticed) => {
    await everyOrder(
      async (world) => {
        const first = await world.takeOver();
        let second: SendingNode | undefined;
        const takesOver: Actor = async (steps) => {
          second = await world.takeOver(steps, { isNoticed });
          await world.lookOver(second)(steps);
          await world.work(second)(steps);
        };
        return {
          actors: [world.acceptAndSend("a", first), takesOver, world.accept("b")],
          heir: () => second ?? first,
          mayBeUnknown: true,
        };
      },
      { resend: resend === "unsafe" ? resend : IDEMPOTENT, interruptions: 2 },
    );
  });
});

test("a send whose outcome a failover loses is not made again, although the first attempt to store it failed", async () => {
  await everyOrder(async (world) => {
    const node = await world.takeOver();
    const id = newId();
    return {
      actors: [
        inTurn(
          world.acceptAndSend("a", node, { id, diesAt: 0 }),
          world.work(node),
          world.acceptAndSend("a", node, { id }),
        ),
      ],
      afterwards: () => world.loseOutcome("a", node),
      heir: () => node,
      mayBeUnknown: true,
      check: (told) => expect(told).toEqual({ a: "UNKNOWN_ERROR" }),
    };
  });
});

test.each([3, 4])(
  "a refusal that is stored again (statement %d) after a failover repeats no send of the next owner",
  async (loses) => {
    await everyOrder(
      async (world) => {
        const first = await world.takeOver();
        first.isRefused = true;
        await now(world.accept("a"));
        const [job] = await core().db.query<{ id: number }>(
          "select id from send_jobs where channel_id = $1",
          [world.channelId],
        );
        let second: SendingNode | undefined;
        const takesOver: Actor = async (steps) => {
          second = await world.takeOver(steps, { isNoticed: false });
          await world.lookOver(second)(steps);
          await world.work(second)(steps);
        };
        return {
          actors: [world.work(first), inTurn(takesOver, world.loseAll("a", job?.id ?? 0))],
          heir: () => {
            first.hasLease = false;
            return second ?? first;
          },
          mayBeUnknown: true,
        };
      },
      { loses, interruptions: 1 },
    );
  },
);

test("a node that has lost a channel marks nothing that it accepts for it; the new owner sends it", async () => {
  await everyOrder(async (world) => {
    const first = await world.takeOver();
    const second = await world.takeOver(core().db, { isNoticed: false });
    return {
      actors: [world.acceptAndSend("a", first, { diesAt: 1 })],
      heir: () => second,
      check: (told) => expect(told).toEqual({ a: "sent" }),
    };
  });
});

describe("a message that is cancelled while its chat is processed", () => {
  const cancel =
    (world: SendsWorld, text: string): Actor =>
    async (steps) => {
      const [row] = await core().db.query<{ id: string; channel_id: string; chat: string }>(
        "select id, channel_id, chat from messages where channel_id = $1 and text = $2",
        [world.channelId, text],
      );
      if (row === undefined) throw new Error(`There is no message ${text}`);
      await cancelIfWaiting({ ...core(), db: steps as never }, { accountId: world.accountId }, row);
    };
  const exploring = ({ marks }: { marks: boolean }) =>
    everyOrder(
      async (world) => {
        const node = await world.takeOver();
        await now(inTurn(world.accept("a"), world.accept("b")));
        return { actors: [world.work(node, { marks }), cancel(world, "a")], heir: () => node };
      },
      { resend: IDEMPOTENT },
    );

  test("is not sent", () => exploring({ marks: true }));

  test("would be sent if requests did not need a mark, even with harmless resends", async () => {
    await expect(exploring({ marks: false })).rejects.toThrow(/a was cancelled/);
  });
});

describe("of a channel that ends", () => {
  const DISABLED = "update channels set status = 'disabled', owner = null where id = $1";
  const stopAll: Actor = (steps) => failOrphanedJobs({ ...core(), db: steps as never });
  const stopRest = async () => {
    while ((await failOrphanedJobs(core())) > 0);
  };

  test("every message is reported, including one accepted meanwhile", async () => {
    await everyOrder(async (world) => {
      await now(world.accept("a"));
      await core().db.query(DISABLED, [world.channelId]);
      return {
        actors: [stopAll, world.accept("late", { late: true }), world.accept("b")],
        afterwards: stopRest,
        heir: () => world.takeOver(),
        check: (told) => expect(new Set(Object.values(told))).toEqual(new Set(["MESSAGE_CANCELLED"])),
      };
    });
  });

  test("two nodes end what waits, and one loses any of its responses", async () => {
    for (const loses of [0, 1, 2, 3, 4])
      await everyOrder(
        async (world) => {
          await now(inTurn(world.accept("a"), world.accept("b", { chat: newId() })));
          await core().db.query(DISABLED, [world.channelId]);
          return { actors: [stopAll, stopAll], afterwards: stopRest, heir: () => world.takeOver() };
        },
        { loses, interruptions: 1 },
      );
  });

  test("nothing is sent after its owner has lost it", async () => {
    await everyOrder(
      async (world) => {
        const node = await world.takeOver();
        await now(world.accept("a"));
        const ends: Actor = async (steps) => {
          node.hasLease = false;
          await steps.query(DISABLED, [world.channelId]);
          await stopAll(steps);
        };
        return {
          actors: [world.work(node), ends, world.accept("b")],
          afterwards: stopRest,
          heir: () => world.takeOver(),
          mayBeUnknown: true,
        };
      },
      { interruptions: 2 },
    );
  });
});
