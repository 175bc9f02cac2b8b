import { expect, test } from "vitest";
import { createTestLink } from "../../../core/transport/conformance.ts";
import { SentLog } from "./sent-log.ts";

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 22, 12);

function logs() {
  const { vault } = createTestLink({ credentials: {}, settings: {} });
  const clock = { now: START };
  return { clock, vault, open: () => new SentLog(vault, () => clock.now) };
}

test("a message has the same cid at every attempt, also in another process and after midnight", async () => {
  const { clock, open } = logs();
  const cid = await open().cidOf("m-1");
  clock.now += DAY_MS / 2 + 1;
  expect(await open().cidOf("m-1")).toBe(cid);
  expect(await open().messageOf(String(cid))).toBe("m-1");
  expect(await open().messageOf("1")).toBeUndefined();
});

test("messages have different cids: at the same time, concurrently, or after the clock was set back", async () => {
  const { clock, open } = logs();
  const [log, other] = [open(), open()];
  const numbers = [await log.cidOf("m-1"), ...(await Promise.all(["m-2", "m-3"].map((id) => log.cidOf(id))))];
  clock.now -= 1_000;
  numbers.push(await log.cidOf("m-4"));
  clock.now += 1_000;
  numbers.push(await other.cidOf("m-5"));
  expect(new Set(numbers).size).toBe(5);
});

test("no cid is the current millisecond, which another client of the owner may use", async () => {
  const log = logs().open();
  const cids = await Promise.all(Array.from({ length: 100 }, (_, index) => log.cidOf(`m-${index}`)));
  // By chance one is, in one of a million runs.
  expect(cids.filter((cid) => cid >= START)).toEqual([]);
  expect(cids.every((cid) => cid > START - DAY_MS)).toBe(true);
  expect(await log.messageOf(String(START))).toBeUndefined();
});

test("only cids older than a week are deleted", async () => {
  const { clock, vault, open } = logs();
  const log = open();
  const first = await log.cidOf("m-0");
  let last = first;
  for (let day = 1; day <= 9; day++) {
    clock.now = START + day * DAY_MS;
    last = await log.cidOf(`m-${day}`);
  }
  const kept = await Promise.all(Array.from({ length: 8 }, (_, day) => vault.readAll(`sent-${day}`)));
  expect(
    kept.flatMap((family) => [...family.keys()]).filter((key) => key.startsWith("message")),
  ).toHaveLength(7);
  expect(await open().messageOf(String(first))).toBeUndefined();
  expect(await open().messageOf(String(last))).toBe("m-9");
});
