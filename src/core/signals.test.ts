import { expect, test } from "vitest";
import type { Database } from "../database/database.ts";
import { createSignals } from "./signals.ts";

/** Signals of the process "me", with a database that records the notifications for other processes. */
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
  const signals = await createSignals(db as Database, "me");
  const woken: string[] = [];
  signals.on("sends", () => woken.push("sends"));
  return { signals, told, woken, hear: (payload: string) => hear(payload) };
}

test("notifies other nodes of everything until it is known that there are none", async () => {
  const { signals, told, woken } = await build();
  signals.notify("sends");
  signals.notify("channels", "one");
  expect([told, woken]).toEqual([["me sends ", "me channels one"], ["sends"]]);
});

test("a single node sends no notifications for messages and events, but for all other topics", async () => {
  const { signals, told, woken } = await build();
  signals.setOthers(false);
  signals.notify("sends");
  signals.notify("webhooks");
  signals.notify("channels", "one");
  expect([told, woken]).toEqual([["me channels one"], ["sends"]]);
});

test("a notification of another node shows that there is one", async () => {
  const { signals, told, woken, hear } = await build();
  signals.setOthers(false);
  hear("you sends ");
  signals.notify("sends");
  expect([told, woken]).toEqual([["me sends "], ["sends", "sends"]]);
});

test("a node ignores its own notifications", async () => {
  const { signals, told, woken, hear } = await build();
  signals.setOthers(false);
  hear("me sends ");
  signals.notify("webhooks");
  expect([told, woken]).toEqual([[], []]);
});
