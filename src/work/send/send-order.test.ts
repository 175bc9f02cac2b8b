import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { freeCapacity } from "../session/capacity.ts";
import { type OwnershipTerm, SendOrder, type Turn } from "./send-order.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const term = (channelId: string, options: Partial<OwnershipTerm> = {}): OwnershipTerm => ({
  accountId: 1,
  channelId,
  epoch: 1,
  transport: "telegram",
  ...options,
});
const A = term("a");

function build() {
  let woken = 0;
  const order = new SendOrder(() => void woken++);
  const take = (options: { most?: number; ofChannel?: number; places?: number } = {}): Turn[] =>
    order.take({
      capacity: freeCapacity([], options.places ?? 1_000),
      max: options.most ?? 100,
      capacityOf: (_, busy) => Math.max(0, (options.ofChannel ?? 100) - busy.count),
    });
  const chats = (options?: Parameters<typeof take>[0]) => take(options).map(({ chat }) => chat);
  return { order, take, chats, woken: () => woken };
}

describe("a chat", () => {
  test("is taken once for several notifications, and again if jobs were added meanwhile", () => {
    const { order, take } = build();
    order.add(A, ["x", "y", "x"]);
    const [x, y] = take();
    expect([x?.chat, y?.chat]).toEqual(["x", "y"]);
    order.add(A, ["x"]);
    expect(take()).toEqual([]);
    for (const turn of [x, y]) if (turn !== undefined) order.end(turn, null);
    expect(take().map(({ chat }) => chat)).toEqual(["x"]);
  });

  test("is taken without a notification if it is unknown", () => {
    const { order, chats } = build();
    const x = order.begin(A, "x", 9);
    expect([x?.chat, order.begin(A, "x", 9), order.busy(A).count]).toEqual(["x", null, 1]);
    expect(order.begin(A, "y", 9)?.chat).toBe("y");
    order.add(A, ["x"]);
    if (x !== null) order.end(x, null);
    expect([order.begin(A, "x", 9), chats()]).toEqual([null, ["x"]]);
  });

  test("is taken without a notification only if the ready chats of its channel leave room", () => {
    const { order, chats } = build();
    order.add(A, ["x", "y"]);
    expect([order.begin(A, "z", 0), order.begin(A, "z", 2), order.begin(A, "z", 3)?.chat]).toEqual([
      null,
      null,
      "z",
    ]);
    expect(chats()).toEqual(["x", "y"]);
  });

  test("goes to the end of the queue if it has more to send", () => {
    const { order, take, chats } = build();
    order.add(A, ["x", "y"]);
    const [x] = take({ most: 1 });
    if (x !== undefined) order.end(x, { ms: 0 });
    expect(chats()).toEqual(["y", "x"]);
  });

  test("rests despite notifications, and becomes ready by itself", () => {
    const { order, take, chats, woken } = build();
    order.add(A, ["x"]);
    const [x] = take();
    if (x !== undefined) order.end(x, { ms: 5_000 });
    order.add(A, ["x"]);
    order.found(A, { chat: "x", head: 1 });
    vi.advanceTimersByTime(4_999);
    expect([chats(), woken()]).toEqual([[], 0]);
    vi.advanceTimersByTime(1);
    expect([woken(), chats()]).toEqual([1, ["x"]]);
  });

  test("ends its rest when the cause of its wait has changed", () => {
    const { order, take, chats } = build();
    order.add(A, ["x"]);
    for (const turn of take()) order.end(turn, { ms: 5_000 });
    expect([order.resting(), order.restingOf("a"), order.restingOf("other")]).toEqual([[A], A, undefined]);
    order.endRests("other");
    expect(chats()).toEqual([]);
    order.endRests("a");
    expect([chats(), order.resting(), order.restingOf("a")]).toEqual([["x"], [], undefined]);
  });

  test("ends its rest alone when its person has written", () => {
    const { order, take, chats } = build();
    order.add(A, ["x", "y", "z"]);
    const [x, y] = take();
    for (const turn of [x, y]) if (turn !== undefined) order.end(turn, { ms: 5_000 });
    expect([order.endRest("a", "y"), order.endRest("a", "unknown"), order.endRest("other", "x")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(chats()).toEqual(["y"]);
    expect(order.resting()).toEqual([A]);
  });

  test.each([
    [[7, 8], 7, []],
    [[7, 8], 6, ["x"]],
    [[], 7, ["x"]],
  ])("that is busy with %j is read again if %d is its first job: %j", (read, head, next) => {
    const { order, take, chats } = build();
    order.add(A, ["x"]);
    const [x] = take();
    if (x === undefined) throw new Error("nothing was taken");
    order.hasRead(x, read);
    order.found(A, { chat: "x", head });
    order.end(x, null);
    expect(chats()).toEqual(next);
  });
});

describe("a channel", () => {
  test("in a new term of ownership starts over, and turns of the old one have no effect", () => {
    const { order, take, chats } = build();
    order.add(A, ["x"]);
    const [x] = take();
    const next = term("a", { epoch: 2 });
    order.add(next, ["x"]);
    if (x !== undefined) {
      order.hasRead(x, [1]);
      order.end(x, null);
    }
    expect(take().map(({ term: { epoch } }) => epoch)).toEqual([2]);
    expect(chats()).toEqual([]);
  });

  test("that the node has lost is dropped, with its rests", () => {
    const { order, take, chats, woken } = build();
    order.add(A, ["x", "y"]);
    order.add(term("b"), ["z"]);
    const [x] = take({ most: 1 });
    if (x !== undefined) order.end(x, { ms: 1 });
    order.keep(({ channelId }) => channelId === "b");
    vi.advanceTimersByTime(10);
    expect([chats(), woken()]).toEqual([["z"], 0]);
  });

  test("with its first message does not look at the others", () => {
    const { order, chats } = build();
    let looks = 0;
    const other = {
      ...term("other"),
      get channelId() {
        looks++;
        return "other";
      },
    };
    order.add(other, ["x"]);
    looks = 0;
    order.add(A, ["y"]);
    expect([order.begin(term("b"), "z", 9)?.chat, looks]).toEqual(["z", 0]);
    expect(chats().toSorted()).toEqual(["x", "y"]);
  });

  test("has no more busy chats than it has capacity for", () => {
    const { order, take, chats } = build();
    order.add(A, ["1", "2", "3", "4"]);
    const first = take({ ofChannel: 2 });
    expect([first.length, chats({ ofChannel: 2 })]).toEqual([2, []]);
    if (first[0] !== undefined) order.end(first[0], null);
    expect(chats({ ofChannel: 2 })).toEqual(["3"]);
  });

  test("counts the busy chats that have not read their jobs", () => {
    const { order, take } = build();
    order.add(A, ["1", "2"]);
    const [first, second] = take();
    const atOnce = order.begin(A, "3", 9);
    if (first === undefined || second === undefined || atOnce === null) throw new Error("nothing was taken");
    expect(order.busy(A)).toEqual({ count: 3, unread: 3 });
    order.hasRead(first, [7]);
    order.hasRead(first, [7]);
    expect(order.busy(A)).toEqual({ count: 3, unread: 2 });
    order.end(second, { ms: 0 });
    order.end(first, null);
    expect(order.busy(A)).toEqual({ count: 1, unread: 1 });
    order.hasRead(atOnce, [8]);
    expect(order.busy(A)).toEqual({ count: 1, unread: 0 });
    expect(order.busy(term("other"))).toEqual({ count: 0, unread: 0 });
  });
});

describe("accounts", () => {
  const many = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`);

  test("are served round-robin, and so are the channels of an account", () => {
    const { order, chats } = build();
    order.add(term("a1"), many("x", 10));
    order.add(term("a2"), many("y", 10));
    order.add(term("b", { accountId: 2 }), many("z", 2));
    expect(chats({ most: 6 }).toSorted()).toEqual(["x0", "x1", "y0", "z0", "z1", "y1"].toSorted());
  });

  test("are not always served in the same order", () => {
    const { order, take } = build();
    order.add(A, many("x", 10));
    order.add(term("b", { accountId: 2 }), many("z", 10));
    const first = [1, 2, 3, 4].map(() => take({ most: 1 })[0]?.term.accountId);
    expect(first).toEqual([1, 2, 1, 2]);
  });

  test("get no more than their share, nor does a transport", () => {
    const { order, take } = build();
    order.add(A, many("x", 900));
    expect(take({ most: 900, ofChannel: 900 })).toHaveLength(200);
    const crowd = build();
    for (let accountId = 1; accountId <= 20; accountId++)
      crowd.order.add(term(String(accountId), { accountId }), many("x", 900));
    const other = term("other", { accountId: 99, transport: "vk" });
    crowd.order.add(other, many("y", 10));
    const taken = crowd.take({ most: 10_000, ofChannel: 900 });
    expect(taken.filter(({ term: { transport } }) => transport === "telegram").length).toBeLessThanOrEqual(
      500,
    );
    expect(taken.filter(({ term: { transport } }) => transport === "vk")).toHaveLength(10);
  });
});
