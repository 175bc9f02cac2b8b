import { expect, test } from "vitest";
import { derivedId, newId, newSecret } from "./ids.ts";

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("new ids read as version 4, differ, and begin with the time", () => {
  const before = Date.now();
  const ids = Array.from({ length: 5_000 }, newId);
  const after = Date.now();
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(id).toMatch(UUID4);
    const time = Number.parseInt(id.slice(0, 13).replace("-", ""), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(after);
  }
});

test("derived ids depend on every part and on where parts end", () => {
  expect(derivedId("a", "b")).toMatch(UUID4);
  expect(derivedId("a", "b")).toBe(derivedId("a", "b"));
  expect(derivedId("ab", "c")).not.toBe(derivedId("a", "bc"));
  expect(derivedId("a")).not.toBe(derivedId("a", ""));
});

test("secrets have the asked strength and are safe in addresses", () => {
  expect(newSecret(32)).toMatch(/^[\w-]{43}$/);
  expect(newSecret()).not.toBe(newSecret());
});
