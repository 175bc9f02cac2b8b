import { expect, test } from "vitest";
import type { Database } from "../database/database.ts";
import { createSignals } from "./signals.ts";

/** Wakes of the process "me", over a database that notes what it is to tell others. */
async function build() {
  const told: string[] = [];
  let hear: (payload: string) => void = () => undefined;
  const db: Pick<Database, "listen" | "notify"> = {
    async listen(_channel, handler) {
      hear = handler;
      return async () => undefined;
    },
    notify: (_channel, payload = "") => void told.push(payload),
  };
  const wakes = await createSignals(db as Database, "me");
  const woken: string[] = [];
  wakes.on("sends", () => woken.push("sends"));
  return { wakes, told, woken, hear: (payload: string) => hear(payload) };
}

test("until it is known that there are no other nodes, they are told of everything", async () => {
  const { wakes, told, woken } = await build();
  wakes.wake("sends");
  wakes.wake("channels", "one");
  expect([told, woken]).toEqual([["me sends ", "me channels one"], ["sends"]]);
});

test("a node that is alone keeps messages and events to itself, and tells of all else", async () => {
  const { wakes, told, woken } = await build();
  wakes.setOthers(false);
  wakes.wake("sends");
  wakes.wake("webhooks");
  wakes.wake("channels", "one");
  expect([told, woken]).toEqual([["me channels one"], ["sends"]]);
});

test("a word from another node shows that there is one", async () => {
  const { wakes, told, woken, hear } = await build();
  wakes.setOthers(false);
  hear("you sends ");
  wakes.wake("sends");
  expect([told, woken]).toEqual([["me sends "], ["sends", "sends"]]);
});

test("its own word, come back, wakes nobody twice and shows nothing", async () => {
  const { wakes, told, woken, hear } = await build();
  wakes.setOthers(false);
  hear("me sends ");
  wakes.wake("webhooks");
  expect([told, woken]).toEqual([[], []]);
});
