import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { NoResponse, Refusal } from "../errors.ts";
import { ANN, DIALOG, GROUP, ME } from "../testing.ts";
import { OP } from "../wire/opcodes.ts";
import { People } from "./people.ts";

const SOME_MINUTES_MS = 6 * 60_000;
const OTHER = "100200777";
const from = (sender: string) => ({ id: "1", time: 1, sender });

/** The known people of an account whose lookups have this outcome, and the types of the requests that it made. */
function peopleWhose(outcome: () => Promise<object>) {
  const asked: number[] = [];
  const people = new People(ME, async (opcode) => {
    asked.push(opcode);
    return { ...(await outcome()) };
  });
  return { people, asked };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

describe("a lookup that fails is repeated only after some minutes", () => {
  test.each<[string, () => Promise<object>, readonly number[]]>([
    [
      "refused",
      () => Promise.reject(new Refusal("not.found", "")),
      [OP.chatInfo, OP.contactsById, OP.chatInfo, OP.contactsById],
    ],
    [
      "not answered",
      () => Promise.reject(new NoResponse("late", { sent: true, isConnected: true })),
      [OP.chatInfo, OP.contactsById, OP.chatInfo, OP.contactsById],
    ],
    // Unknown people are remembered for good.
    ["answered without a result", async () => ({}), [OP.chatInfo, OP.contactsById, OP.chatInfo]],
  ])("%s", async (_, outcome, expected) => {
    const { people, asked } = peopleWhose(outcome);
    for (let messages = 0; messages < 5; messages++) await people.fetchUnknown(GROUP, from(ANN));
    vi.advanceTimersByTime(SOME_MINUTES_MS);
    for (let messages = 0; messages < 5; messages++) await people.fetchUnknown(GROUP, from(ANN));
    expect(asked).toEqual(expected);
  });

  test("others are not affected", async () => {
    const { people, asked } = peopleWhose(() => Promise.reject(new Refusal("not.found", "")));
    for (const sender of [ANN, OTHER]) await people.fetchUnknown(GROUP, from(sender));
    expect(asked).toEqual([OP.chatInfo, OP.contactsById, OP.contactsById]);
  });
});

test("a person without a picture who writes is looked up again after some hours", async () => {
  const contact = { id: Number(ANN), names: [{ name: "Ann" }], baseUrl: "https://i.oneme.ru/i?r=new" };
  const { people, asked } = peopleWhose(async () => ({ contacts: [contact] }));
  people.learnChat({ id: DIALOG, type: "DIALOG" });
  people.learnContact({ id: ANN, names: [{ name: "Ann" }] });
  await people.fetchUnknown(DIALOG, from(ANN));
  expect(asked).toEqual([]);
  vi.advanceTimersByTime(7 * 60 * 60_000);
  for (let messages = 0; messages < 3; messages++) await people.fetchUnknown(DIALOG, from(ANN));
  expect(asked).toEqual([OP.contactsById]);
  expect(people.personOf(ANN).avatarUrl).toContain("r=new");
});

test("after a refusal for too many requests, nothing is looked up for some minutes", async () => {
  const { people, asked } = peopleWhose(() => Promise.reject(new Refusal("too.many.requests", "")));
  await people.fetchUnknown(GROUP, from(ANN));
  await people.fetchUnknown(DIALOG, from(OTHER));
  expect(asked).toEqual([OP.chatInfo]);
  vi.advanceTimersByTime(2 * SOME_MINUTES_MS);
  await people.fetchUnknown(GROUP, from(ANN));
  expect(asked).toEqual([OP.chatInfo, OP.chatInfo]);
});
