import { expect, test } from "vitest";
import { Window } from "./window.ts";

const event = (id: number) => ({
  id,
  kind: "messages",
  channelId: null,
  chat: null,
  body: "{}",
  seconds: 0,
});

test.each([
  ["right behind what was read", 20, 30, true, [30]],
  ["with others of the log between, which were read", 10, 30, true, [30]],
  ["with others of the log between, which were not read", 21, 30, false, []],
  ["that were read meanwhile", 5, 20, true, []],
])("events %s", (_, previous, to, isTaken, handed) => {
  const window = new Window(5);
  window.add([event(20)], 20);
  expect(window.hand({ events: [event(to)], previous, to })).toBe(isTaken);
  expect(window.handed.map(({ id }) => id)).toEqual(handed);
});

test("nothing can be handed before a read, nor after what was read is forgotten", () => {
  const window = new Window(5);
  expect(window.hand({ events: [event(6)], previous: 5, to: 6 })).toBe(false);
  window.add([], 6);
  expect(window.hand({ events: [event(7)], previous: 6, to: 7 })).toBe(true);
  window.forget();
  expect(window.handed).toEqual([]);
  expect(window.hand({ events: [event(8)], previous: 7, to: 8 })).toBe(false);
});

test("a read that ends behind handed events replaces them, and the position passes what was taken", () => {
  const window = new Window(5);
  window.add([], 6);
  window.hand({ events: [event(7), event(9)], previous: 6, to: 9 });
  window.add([event(7)], 8);
  expect(window.handed.map(({ id }) => id)).toEqual([9]);
  expect(window.pass()).toBe(6);
  window.takeHanded();
  expect(window.ahead.map(({ id }) => id)).toEqual([7, 9]);
  window.remove(window.ahead);
  expect(window.pass()).toBe(9);
});
