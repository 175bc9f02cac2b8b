import { expect, onTestFinished, test, vi } from "vitest";
import { watchCallbacks } from "./callback.ts";
import type { VkClient } from "./client.ts";
import { createCommunity } from "./community.ts";
import { FAST, linkTo } from "./testing.ts";

const URL_GIVEN = "https://Gateway.example/in";

test.each<[string, (isAdded: boolean) => unknown, number]>([
  [
    "with a normalised URL",
    (isAdded) => ({ items: isAdded ? [{ id: 7, url: "https://gateway.example/in/", status: "ok" }] : [] }),
    1,
  ],
  [
    "with another URL",
    (isAdded) => ({ items: isAdded ? [{ id: 7, url: "https://redirect.example", status: "ok" }] : [] }),
    1,
  ],
  [
    "with an unknown status",
    (isAdded) => ({ items: isAdded ? [{ id: 7, url: URL_GIVEN, status: "later" }] : [] }),
    1,
  ],
  ["not at all", () => ({ items: [] }), 1],
  ["in an unreadable list", () => ({}), 0],
])("a server that VK lists %s is not added or deleted at each check", async (_, list, additions) => {
  const link = linkTo("https://vk.example");
  const over = new AbortController();
  const calls: string[] = [];
  const client: VkClient = {
    redact: (text) => text,
    fetch: () => Promise.reject(new Error("no file")),
    call: async (method) => {
      calls.push(method);
      if (method === "groups.getById") return { groups: [{ id: 1, name: "Shop" }] };
      if (method === "groups.addCallbackServer") return { server_id: 7 };
      return method === "groups.getCallbackServers" ? list(calls.includes("groups.addCallbackServer")) : {};
    },
  };
  const watching = watchCallbacks({ ...createCommunity(link, over.signal, FAST), client }, URL_GIVEN);
  onTestFinished(async () => {
    over.abort();
    await watching;
    await link.dispose();
  });
  const count = (method: string) => calls.filter((each) => each === method).length;
  await vi.waitUntil(() => count("groups.getCallbackServers") >= 4, { interval: 2 });
  expect(count("groups.addCallbackServer")).toBe(additions);
  expect(count("groups.deleteCallbackServer")).toBe(0);
});
