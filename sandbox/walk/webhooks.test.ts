import { expect, test } from "vitest";
import { Webhooks } from "./webhooks.ts";

test("of several matching items in one webhook, a step takes the first, and the others stay", async () => {
  const webhooks = new Webhooks();
  const next = () => webhooks.next("a message", ({ kind }) => kind === "messages");
  const first = next();
  webhooks.take({ messages: [{ text: "1" }, { text: "2" }, { text: "3" }] });
  const told = [await first, await next(), await next()];
  expect(told.map(({ item }) => item["text"])).toEqual(["1", "2", "3"]);
});
