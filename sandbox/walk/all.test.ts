import { expect, test } from "vitest";
import { readWalk, tableOf, type Walked } from "./all.ts";

const step = (name: string, ms: number, what = "done", ok = true) => ({ step: name, ok, what, ms });
const fine: Walked = { transport: "vk", failed: 0, steps: [step("create", 1_400), step("send", 2_000)] };

test("one line for each walk, and its failures below", () => {
  const wrong: Walked = {
    transport: "telegram",
    failed: 1,
    steps: [step("create", 600), step("send", 400, "nothing came", false)],
  };
  expect(
    tableOf([fine, wrong, readWalk("max", "", "node:1\n\nError: no port\n    at x\n\nNode.js v24")]),
  ).toBe(
    [
      "transport     steps    failed   seconds",
      "vk                2         0         3",
      "telegram          2         1         1",
      "max               0         1         0",
      "all               4         2         4",
      "FAILED  telegram: send: nothing came",
      "FAILED  max: Error: no port",
    ].join("\n"),
  );
});

test("the output of a walk is parsed, also if it is empty", () => {
  expect(readWalk("vk", JSON.stringify(fine), "a warning")).toEqual(fine);
  expect(readWalk("vk", "", "")).toMatchObject({ failed: 1, steps: [], problem: "it ended without a word" });
});
