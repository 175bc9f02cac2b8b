import { expect, test } from "vitest";
import { newUuid } from "./uuid.ts";

test("every one is another UUID of version 4", () => {
  const all = Array.from({ length: 1_000 }, newUuid);
  expect(new Set(all).size).toBe(all.length);
  const pattern = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  expect(all.filter((each) => !pattern.test(each))).toEqual([]);
});
