import { describe, expect, test } from "vitest";
import type { InboxItem } from "./inbox.ts";
import { inboxLines } from "./inbox-line.ts";
import { requestJson, withSandbox } from "./test-kit.ts";

describe("inbox", () => {
  test("accepts any webhook, lists it by name, can be awaited and emptied", async () => {
    const told: unknown[] = [];
    await withSandbox(
      async ({ url }) => {
        const page = requestJson("GET", `${url}/inbox/crm?count=2`);
        expect((await requestJson("POST", `${url}/inbox`, { test: true })).status).toBe(200);
        await requestJson("POST", `${url}/inbox/crm`, { a: 1 });
        await fetch(`${url}/inbox/crm`, { method: "POST", body: "no json" });
        expect((await page).body).toMatchObject({
          complete: true,
          items: [
            { name: "crm", seq: 2, body: { a: 1 }, headers: { "content-type": "application/json" } },
            { seq: 3, body: "no json", received_at: expect.any(String) },
          ],
        });
        expect((await requestJson("GET", `${url}/inbox?after=2`)).body["count"]).toBe(1);
        await requestJson("DELETE", `${url}/inbox`);
        expect((await requestJson("GET", `${url}/inbox`)).body["count"]).toBe(0);
      },
      { onInbox: (item) => told.push(item.body) },
    );
    expect(told).toEqual([{ test: true }, { a: 1 }, "no json"]);
  });

  test("fails as configured", () =>
    withSandbox(async ({ url }) => {
      const post = async (name: string, body: object) =>
        (await requestJson("POST", `${url}/inbox/${name}`, body)).status;
      const behave = (body: object) => requestJson("POST", `${url}/admin/inbox`, body);
      await behave({ name: "a", status: 503 });
      expect([await post("a", {}), await post("b", {})]).toEqual([503, 200]);
      await behave({ name: "a", fail_next: 2 });
      expect([await post("a", {}), await post("a", {}), await post("a", {})]).toEqual([500, 500, 200]);
      await behave({ name: "a", status: 422, fail_when_contains: "poison" });
      expect([await post("a", { text: "poison" }), await post("a", { text: "fine" })]).toEqual([422, 200]);
      await behave({ name: "a", delay_ms: 40 });
      const started = performance.now();
      await post("a", {});
      expect(performance.now() - started).toBeGreaterThan(35);
      expect((await behave({ status: 42 })).status).toBe(400);
    }));
});

describe("the line printed for each event", () => {
  const ann = { contact: { name: "Ann" }, chatId: "111" };
  const cases: readonly (readonly [body: unknown, lines: string[]])[] = [
    [{ test: true }, ["← webhook test"]],
    [
      { messages: [{ type: "text", text: "Hello", ...ann }] },
      ['← webhook messages: inbound text "Hello" from Ann (chat 111)'],
    ],
    [
      { messages: [{ type: "image", isEcho: true, ...ann }] },
      ["← webhook messages: echo image to Ann (chat 111)"],
    ],
    [
      {
        statuses: [
          { messageId: "m1", status: "sent" },
          { messageId: "m2", status: "error", error: { error: "BAD_CONTACT" } },
        ],
      },
      ["← webhook statuses: m1 sent", "← webhook statuses: m2 error BAD_CONTACT"],
    ],
    [{ channelsUpdates: [{ channelId: "c1", state: "active" }] }, ["← webhook channelsUpdates: c1 active"]],
    [
      { event: "channel.status_update", data: [{ channel_id: "c1", status: "active" }], meta: {} },
      ["← webhook channel.status_update: c1 active"],
    ],
    [
      {
        messages: [
          { type: "text", text: "\u009b2J", contact: { name: "A\u001b[2J\nnn" }, chatId: "\u202e1" },
        ],
      },
      ['← webhook messages: inbound text "\ufffd2J" from A\ufffd[2J\ufffdnn (chat \ufffd1)'],
    ],
    [{ other: 1 }, ["← webhook with other"]],
    ["text", ["← webhook of 4 characters"]],
  ];

  test.each(cases)("%j", (body, lines) => {
    const item: InboxItem = { name: "", received_at: "", headers: {}, body, status: 200 };
    expect(inboxLines(item)).toEqual(lines);
  });
});
