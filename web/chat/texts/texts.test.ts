import { expect, test } from "vitest";
import { ru } from "./ru.ts";

test.each([
  [1, "ещё 1 минуту:"],
  [2, "ещё 2 минуты:"],
  [5, "ещё 5 минут:"],
  [21, "ещё 21 минуту:"],
])("how long a message can be changed, in Russian: %d", (left, text) =>
  expect(ru.composer.editWindow(left)).toContain(text),
);
