import { afterEach, describe, expect, test, vi } from "vitest";
import { TransportError } from "../../core/transport/errors.ts";
import { catchUp } from "./catch-up.ts";
import { type Community, createCommunity } from "./community.ts";
import { Refusal } from "./errors.ts";
import { poll } from "./receiving.ts";
import { linkTo, type VkTestLink } from "./testing.ts";

let link: VkTestLink;
let over: AbortController;
afterEach(async () => {
  over.abort();
  await link.dispose();
});

const TIMING = { firstPauseMs: 40, maxPauseMs: 10_000, checkMs: 10_000, accessMs: 600_000 };
const SERVER = { server: "https://lp.example", key: "k", ts: "1" };

/** A community whose long poll always answers like this at once; `polls` are the times of its requests. */
function answering(body: object) {
  link = linkTo("https://vk.example");
  over = new AbortController();
  const polls: number[] = [];
  const client: Community["client"] = {
    redact: (text) => text,
    call: async (method) => {
      if (method === "groups.getById") return { groups: [{ id: 1, name: "Shop" }] };
      return method === "groups.getLongPollServer" ? SERVER : { items: [] };
    },
    fetch: async () => {
      polls.push(performance.now());
      return { status: 200, headers: new Headers(), json: async () => body } as never;
    },
  };
  return { polls, community: { ...createCommunity(link, over.signal, TIMING), client } };
}

describe("a long poll that answers at once pauses", () => {
  test.each([
    ["without updates", { ts: "1" }],
    ["with an error", { error: "busy" }],
    ["with no updates at the same position", { ts: "1", updates: [] }],
    ["with updates at the same position", { ts: "1", updates: [{ type: "message_typing_state" }] }],
    ["with updates and no position", { updates: [{ type: "message_typing_state" }] }],
    ["because the key has expired", { failed: 2 }],
    ["because events are lost", { failed: 1, ts: "9" }],
    ["because all is lost", { failed: 3 }],
  ])("%s", async (_, body) => {
    const { polls, community } = answering(body);
    const done = poll(community);
    await vi.waitUntil(() => polls.length >= 3, { interval: 5 });
    over.abort();
    await done;
    // Half of a back-off is random.
    expect((polls[2] ?? 0) - (polls[0] ?? 0)).toBeGreaterThan(TIMING.firstPauseMs);
  });
});

test("while the server of the long poll does not answer, the channel is not active, and it is again at once", async () => {
  const { community } = answering({});
  const waits: (string | null)[] = [];
  const client: Community["client"] = {
    ...community.client,
    fetch: async ({ url }) => {
      waits.push(new URL(url).searchParams.get("wait"));
      if (waits.length < 4) throw new TransportError("UNKNOWN_ERROR", "no response", { retry: "later" });
      return { status: 200, headers: new Headers(), json: async () => ({ ts: "1", updates: [] }) } as never;
    },
  };
  const done = poll({ ...community, client, timing: { ...TIMING, firstPauseMs: 1 } });
  await vi.waitUntil(() => waits.length >= 5, { interval: 5 });
  over.abort();
  await done;
  expect(link.events.map((event) => event.kind === "link" && event.state.status)).toEqual([
    "active",
    "lost",
    "active",
  ]);
  expect(waits.slice(0, 5)).toEqual(["25", "1", "1", "1", "25"]);
});

test("a conversation that VK refuses does not block the others, an error of the key does", async () => {
  const { community } = answering({});
  await link.state.set("receivedUntil", String(Date.now()));
  const asked: unknown[] = [];
  let code = 917;
  const date = Math.floor(Date.now() / 1000);
  const client: Community["client"] = {
    ...community.client,
    call: async (method, params) => {
      if (method === "messages.getConversations")
        return { items: [1, 2].map((id) => ({ conversation: { peer: { id } }, last_message: { date } })) };
      asked.push(params["peer_id"]);
      if (params["peer_id"] === "1") throw new Refusal(code, "no");
      return { items: [] };
    },
  };
  await catchUp({ ...community, client });
  expect(asked).toEqual(["1", "2"]);
  code = 6;
  await expect(catchUp({ ...community, client })).rejects.toMatchObject({ code: 6 });
});

test("a revoked key is noticed while nothing happens, although the long poll does not check it", async () => {
  const { community } = answering({ ts: "1", updates: [] });
  let asked = 0;
  const client: Community["client"] = {
    ...community.client,
    call: async (method, params, signal) => {
      if (method === "groups.getById" && ++asked > 2) throw new Refusal(5, "User authorization failed");
      return community.client.call(method, params, signal);
    },
  };
  const timing = { ...TIMING, firstPauseMs: 1, accessMs: 0 };
  await poll({ ...community, client, timing });
  expect(link.events.at(-1)).toEqual({
    kind: "link",
    state: { status: "disabled", reason: "unauthorized", detail: "VK refused: 5 User authorization failed" },
  });
  expect(asked).toBe(3);
});
