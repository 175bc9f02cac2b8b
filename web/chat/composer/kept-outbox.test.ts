import { expect, it } from "vitest";
import { type Kept, readOutbox, writeOutbox } from "./kept-outbox.ts";

function memory(items: Record<string, string> = {}) {
  return {
    items,
    getItem: (key: string) => items[key] ?? null,
    setItem(key: string, value: string) {
      items[key] = value;
    },
  };
}

const NOW = Date.parse("2026-11-23T12:00:00Z");
const kept = (id: string, at = "2026-11-23T11:00:00Z"): Kept<{ place: string; text: string }> => ({
  id,
  at,
  what: { place: "chat", text: `text of ${id}` },
  fileName: null,
  refusal: null,
});

it("returns what was stored, in order, only to its owner", () => {
  const store = memory();
  writeOutbox("7 anna", store, [kept("a"), kept("b")]);
  expect(readOutbox("7 anna", store, NOW)).toEqual([kept("a"), kept("b")]);
  expect(readOutbox("7 boris", store, NOW)).toEqual([]);
  writeOutbox("7 anna", store, []);
  expect(readOutbox("7 anna", store, NOW)).toEqual([]);
});

it("drops what is older than a day", () => {
  const store = memory();
  writeOutbox("7 anna", store, [kept("old", "2026-11-22T11:59:59Z"), kept("new", "2026-11-22T12:00:01Z")]);
  expect(readOutbox("7 anna", store, NOW).map(({ id }) => id)).toEqual(["new"]);
});

it.each(["{", "null", "7", '"text"', "{}", '[null, 1, {"id": "a"}, {"id": "a", "at": "x", "what": {}}]'])(
  "ignores %s in the storage",
  (text) => {
    expect(readOutbox("7 anna", memory({ "trunkline-outbox-7 anna": text }), NOW)).toEqual([]);
  },
);

it("works without storage, and with full storage", () => {
  expect(readOutbox("7 anna", null, NOW)).toEqual([]);
  writeOutbox("7 anna", null, [kept("a")]);
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error("QuotaExceededError");
    },
  };
  writeOutbox("7 anna", full, [kept("a")]);
  expect(readOutbox("7 anna", full, NOW)).toEqual([]);
});
