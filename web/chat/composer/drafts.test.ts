import { expect, test } from "vitest";
import { openDrafts } from "./drafts.ts";

function memory(start: Record<string, string> = {}) {
  const values = new Map(Object.entries(start));
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
}

test("a draft survives a reload, and is removed once it is emptied", () => {
  const store = memory();
  openDrafts("ann", store).set("a", "hello");
  expect(openDrafts("ann", store).get("a")).toBe("hello");
  expect(openDrafts("bo", store).get("a")).toBe("");
  openDrafts("ann", store).set("a", "");
  expect(openDrafts("ann", store).get("a")).toBe("");
});

test("two tabs keep each other's drafts", () => {
  const store = memory();
  const [first, second] = [openDrafts("ann", store), openDrafts("ann", store)];
  first.set("a", "in the first");
  second.set("b", "in the second");
  first.set("c", "in the first again");
  second.set("a", "");
  const reloaded = openDrafts("ann", store);
  expect(["a", "b", "c"].map(reloaded.get)).toEqual(["", "in the second", "in the first again"]);
});

test.each([["null"], ["{"], ['{"a":1}'], ['[["a"],["b",2],["c","kept"]]']])(
  "foreign content %s",
  (stored) => {
    const drafts = openDrafts("ann", memory({ "trunkline-drafts-ann": stored }));
    expect(drafts.get("a") + drafts.get("b")).toBe("");
    expect(drafts.get("c")).toBe(stored.includes("kept") ? "kept" : "");
  },
);

test("the oldest of many are dropped", () => {
  const drafts = openDrafts("ann", memory());
  for (let index = 0; index <= 100; index++) drafts.set(`c${index}`, "x");
  expect([drafts.get("c0"), drafts.get("c1"), drafts.get("c100")]).toEqual(["", "x", "x"]);
});

test("without storage, or with full storage, drafts last as long as the page", () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error("QuotaExceededError");
    },
  };
  for (const store of [null, full]) {
    const drafts = openDrafts("ann", store);
    drafts.set("a", "hello");
    drafts.set("b", "good day");
    expect([drafts.get("a"), drafts.get("b")]).toEqual(["hello", "good day"]);
  }
});

test.each([
  { from: "typed", to: "", moved: "typed" },
  { from: "second", to: "first", moved: "first\nsecond" },
  { from: "", to: "first", moved: "first" },
])("$from continues as $to", ({ from, to, moved }) => {
  const drafts = openDrafts("maria", null);
  drafts.set("new", from);
  drafts.set("chat", to);
  drafts.move("new", "chat");
  expect([drafts.get("new"), drafts.get("chat")]).toEqual(["", moved]);
});
