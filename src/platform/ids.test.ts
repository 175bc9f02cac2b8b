import { expect, test } from "vitest";
import { derivedId, firstIdAt, isUuid, newId, newSecret } from "./ids.ts";

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

test("the first id of a time lies before those that are made then, and after those of earlier times", () => {
  const [before, id] = [Date.now(), newId()];
  expect(firstIdAt(before) <= id).toBe(true);
  expect(firstIdAt(Date.now() + 1) > id).toBe(true);
  expect(firstIdAt(-1)).toBe("00000000-0000-0000-0000-000000000000");
  expect(firstIdAt(8.64e15)).toBe("ffffffff-ffff-0000-0000-000000000000");
});

test("a uuid is known from other texts", () => {
  const ids = [newId(), derivedId("a"), newId().toUpperCase()];
  expect(ids.filter((id) => !isUuid(id))).toEqual([]);
  const others = [
    "",
    "7",
    newSecret(),
    `${newId()}0`,
    ` ${newId()}`,
    `${newId()}\n`,
    newId().replaceAll("-", ""),
  ];
  expect(others.filter(isUuid)).toEqual([]);
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
