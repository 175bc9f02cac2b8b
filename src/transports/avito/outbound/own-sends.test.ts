import { expect, test } from "vitest";
import { createOwnSends } from "./own-sends.ts";

test("whenSettled calls back when the last send into the chat has settled, also after a failure", async () => {
  const sends = createOwnSends();
  const told: string[] = [];
  const first = Promise.withResolvers<{ externalId: string }>();
  const second = Promise.withResolvers<{ externalId: string }>();
  const ended = Promise.allSettled([
    sends.track("ann", "1", () => first.promise),
    sends.track("ann", "2", () => second.promise),
  ]);
  sends.whenSettled("ann", () => told.push(`ann, and 1 is ${sends.messageIdOf("a1")}`));
  sends.whenSettled("bob", () => told.push("bob"));
  expect(told).toEqual(["bob"]);
  second.reject(new Error("refused"));
  await Promise.resolve();
  expect(told).toEqual(["bob"]);
  first.resolve({ externalId: "a1" });
  await ended;
  expect(told).toEqual(["bob", "ann, and 1 is 1"]);
  sends.whenSettled("ann", () => told.push("at once"));
  expect(told.at(-1)).toBe("at once");
});
