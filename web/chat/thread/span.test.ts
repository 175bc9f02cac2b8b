import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Span, withMessage, withNewer, withNewest, withOlder } from "./span.ts";

interface Item {
  readonly id: string;
  readonly order: string;
  readonly text: string;
}
const item = (order: number, text = "", id = `m${order}`): Item => ({
  id,
  order: String(order).padStart(4, "0"),
  text,
});
const span = (
  from: number,
  to: number,
  before: string | null = null,
  after: string | null = null,
): Span<Item> => ({
  messages: Array.from({ length: to - from + 1 }, (_, index) => item(from + index)),
  before,
  after,
});
const ids = ({ messages }: Span<Item>) => messages.map(({ id }) => id).join(" ");

describe("pages", () => {
  test("older and newer pages are merged without duplicates, and messages of the stream stay", () => {
    const edited = withMessage(span(5, 7, "b5", "a7"), item(5, "edited"));
    const older = withOlder(edited, span(3, 5, "b3", null));
    expect([ids(older), older.before, older.after]).toEqual(["m3 m4 m5 m6 m7", "b3", "a7"]);
    expect(older.messages[2]?.text).toBe("edited");
    const newer = withNewer(older, span(7, 9, null, null));
    expect([ids(newer), newer.before, newer.after]).toEqual(["m3 m4 m5 m6 m7 m8 m9", "b3", null]);
  });

  test("pages that overlap, touch or are apart give every message once and in order", () => {
    const stretch = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 12 }));
    fc.assert(
      fc.property(stretch, stretch, ([from, length], [pageFrom, pageLength]) => {
        const [known, page] = [span(from, from + length - 1), span(pageFrom, pageFrom + pageLength - 1)];
        const all = [...new Set([...known.messages, ...page.messages].map(({ order }) => Number(order)))];
        const expected = all.sort((a, b) => a - b).map((order) => `m${order}`);
        expect(ids(withOlder(known, page))).toBe(expected.join(" "));
        expect(ids(withNewer(known, page))).toBe(expected.join(" "));
      }),
    );
  });

  test("after a lost connection the newest page is merged if it touches", () => {
    const joined = withNewest(span(1, 5, "b1"), span(4, 8, "b4"));
    expect([ids(joined), joined.before]).toEqual(["m1 m2 m3 m4 m5 m6 m7 m8", "b1"]);
  });

  test("if it does not touch, it replaces the thread: no gap is hidden", () => {
    const apart = withNewest(span(1, 3, "b1"), span(6, 8, "b6"));
    expect([ids(apart), apart.before]).toEqual(["m6 m7 m8", "b6"]);
  });

  test("messages deleted meanwhile disappear", () => {
    const page = { ...span(3, 6), messages: span(3, 6).messages.filter(({ id }) => id !== "m4") };
    expect(ids(withNewest(span(1, 5, "b1"), page))).toBe("m1 m2 m3 m5 m6");
  });

  test("messages of the stream after the page was read stay", () => {
    expect(ids(withNewest(span(1, 9, "b1"), span(4, 7, "b4")))).toBe("m1 m2 m3 m4 m5 m6 m7 m8 m9");
    expect(ids(withNewest(span(20, 20, "b"), span(4, 7, "b4")))).toBe("m4 m5 m6 m7 m20");
  });
});

describe("messages of the stream", () => {
  test.each<[string, Span<Item>, Item, string]>([
    ["the next one", span(1, 2), item(3), "m1 m2 m3"],
    ["the first one", span(1, 0), item(3), "m3"],
    ["a late one", { ...span(1, 3), messages: [item(1), item(3)] }, item(2), "m1 m2 m3"],
    ["a known one", span(1, 3), item(2, "edited"), "m1 m2 m3"],
    ["one with another time now", span(1, 3), item(5, "", "m1"), "m2 m3 m1"],
    ["one beyond the newer end", span(1, 3, null, "a3"), item(9), "m1 m2 m3"],
    ["one beyond the older end", span(4, 6, "b4"), item(2), "m4 m5 m6"],
    ["an older one, at the thread's begin", span(4, 6), item(2), "m2 m4 m5 m6"],
  ])("%s", (_, before, message, after) => expect(ids(withMessage(before, message))).toBe(after));

  test("any order, with repetitions, gives every message once and in order", () => {
    const orders = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 });
    fc.assert(
      fc.property(orders, (arrived) => {
        let all: Span<Item> = { messages: [], before: null, after: null };
        for (const order of arrived) all = withMessage(all, item(order));
        const expected = [...new Set(arrived)].sort((a, b) => a - b).map((order) => `m${order}`);
        expect(ids(all)).toBe(expected.join(" "));
      }),
    );
  });
});
