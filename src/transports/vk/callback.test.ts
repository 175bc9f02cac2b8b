import { expect, onTestFinished, test, vi } from "vitest";
import { TEST_CALLBACK_SECRET } from "../../core/transport/conformance.ts";
import { receive, watchCallbacks } from "./callback.ts";
import type { VkClient } from "./client.ts";
import { createCommunity } from "./community.ts";
import { callOf, FAST, linkTo, sample } from "./testing.ts";

const SECRET = TEST_CALLBACK_SECRET.slice(0, 50);
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

const GROUP = String(sample("text")["group_id"]);
const foreign = { ...sample("text"), group_id: Number(GROUP) + 1 };

test.each<[string, ReturnType<typeof callOf>, number, number]>([
  ["an event of the community", callOf(sample("text")), 200, 1],
  ["an event of another community", callOf(foreign), 403, 0],
  ["a confirmation for another community", callOf({ ...foreign, type: "confirmation" }), 403, 0],
  ["an event without the secret", callOf(sample("text"), "wrong"), 401, 0],
  [
    "an event whose secret is not its own",
    callOf({ ...sample("text"), object: { secret: SECRET } }, ""),
    401,
    0,
  ],
])("%s", async (_, call, status, count) => {
  const link = linkTo("http://127.0.0.1:9", undefined, null, GROUP);
  expect(await receive(call, link)).toMatchObject({ status });
  expect(link.events).toHaveLength(count);
  await link.dispose();
});

test("a stranger's body is not parsed, however large it is", async () => {
  const link = linkTo("http://127.0.0.1:9");
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  for (const body of ["[".repeat(3_990_000), `{"type":"confirmation","a":"${"x".repeat(3_990_000)}"}`]) {
    const call = { ...callOf({}), body: Buffer.from(body) };
    expect(await receive(call, link)).toEqual({ status: 401 });
  }
  expect(parse).not.toHaveBeenCalled();
  await link.dispose();
});

test("an event of a type that is not known is reported as such, without the secret", async () => {
  const link = linkTo("http://127.0.0.1:9");
  expect(await receive(callOf({ type: "like_add", object: { liker_id: 1 } }), link)).toMatchObject({
    status: 200,
  });
  expect(link.unknown).toEqual([
    { kind: "event.like_add", sample: { type: "like_add", object: { liker_id: 1 } } },
  ]);
  expect([link.events, link.deadLetters]).toEqual([[], []]);
  await link.dispose();
});
