import { expect, test } from "vitest";
import { derivedId, firstIdAt, isUuid, newId, newSecret } from "./ids.ts";

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("new ids look like version 4, are unique, start with the time and grow", () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, newId);
  // 4,096 ids within a millisecond use up its numbers; the next ones are those of the milliseconds that follow.
  const after = Date.now() + ids.length / 4_096 + 1;
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids) {
    expect(id).toMatch(UUID4);
    const time = Number.parseInt(id.slice(0, 13).replace("-", ""), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(after);
  }
});

test("firstIdAt is below the ids made at that time and above earlier ones", () => {
  const [before, id] = [Date.now(), newId()];
  expect(firstIdAt(before) <= id).toBe(true);
  expect(firstIdAt(Date.now() + 1_000) > id).toBe(true);
  expect(firstIdAt(-1)).toBe("00000000-0000-0000-0000-000000000000");
  expect(firstIdAt(8.64e15)).toBe("ffffffff-ffff-0000-0000-000000000000");
});

test("recognises uuids", () => {
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

test("derived ids depend on every part and on their boundaries", () => {
  expect(derivedId("a", "b")).toMatch(UUID4);
  expect(derivedId("a", "b")).toBe(derivedId("a", "b"));
  expect(derivedId("ab", "c")).not.toBe(derivedId("a", "bc"));
  expect(derivedId("a")).not.toBe(derivedId("a", ""));
});

test("secrets have the requested length and are URL-safe", () => {
  expect(newSecret(32)).toMatch(/^[\w-]{43}$/);
  expect(newSecret()).not.toBe(newSecret());
});
