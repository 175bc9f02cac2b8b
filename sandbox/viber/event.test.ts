import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Received } from "../callback/test-kit.ts";
import { demo, sharedBot } from "./demo.ts";
import { annId, withReceiver, withViber } from "./test-kit.ts";

const text = { type: "text", text: "Hello" };

describe("set_webhook", () => {
  test("calls the URL first, signed; it is rejected unless the response is 200", () =>
    withReceiver(async ({ api, admin }, receiver) => {
      expect(receiver.items).toMatchObject([
        { body: { event: "webhook", chat_hostname: expect.stringMatching(/^SN-CHAT/) } },
      ]);
      expectSigned(receiver.items[0]);
      receiver.answer = (_received, response) => response.writeHead(204).end();
      expect(await api("set_webhook", { url: receiver.url })).toMatchObject({
        status: 1,
        status_message: "invalidUrl",
      });
      for (const url of ["http://example.com", "ftp://127.0.0.1", "nonsense", "http://127.0.0.1:1/"])
        expect(await api("set_webhook", { url })).toMatchObject({ status: 1 });
      // The old one stays.
      expect((await api("get_account_info"))["webhook"]).toBe(receiver.url);
      expect(await api("set_webhook", { url: "" })).toMatchObject({ status: 0 });
      expect(await api("get_account_info")).toMatchObject({ webhook: "", event_types: [] });
      expect(await api("set_webhook", { url: receiver.url, event_types: ["nonsense"] })).toMatchObject({
        status: 3,
      });
      expect(await admin("GET /callbacks?event=webhook")).toMatchObject({ count: 3 });
    }));

  test("has fields and events that no client knows, if a test asks for them", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      await admin("POST /settings", { novelty: 7 });
      for (let left = 10; left > 0; left--) await ann("messages", { text: "hello" });
      await receiver.reach(12);
      const sent = JSON.stringify(receiver.items.map(({ body }) => body));
      expect([/"new_\d+"/.test(sent), /"new_event_\d+"/.test(sent)]).toEqual([true, true]);
    }));

  test("three events are always sent, the others only if requested", () =>
    withReceiver(
      async ({ ann, api, send }, receiver) => {
        expect((await api("get_account_info"))["event_types"]).toEqual([
          "message",
          "subscribed",
          "unsubscribed",
          "seen",
        ]);
        expect(await ann("opens")).toMatchObject({ callbacks: 0 });
        await ann("messages", { text: "hi" });
        expect(await send(text)).toBe("0 ok");
        expect(await ann("reads")).toMatchObject({ callbacks: 1 });
        await receiver.reach(3);
        expect(receiver.items.map(eventOf)).toEqual(["webhook", "message", "seen"]);
      },
      { events: ["seen"] },
    ));
});

describe("inbound messages", () => {
  const cases: readonly (readonly [body: object, expected: object])[] = [
    [{ text: "hi" }, { type: "text", text: "hi" }],
    [
      { kind: "picture", text: "look" },
      { type: "picture", text: "look", media: expect.any(String), thumbnail: expect.any(String) },
    ],
    [{ kind: "video" }, { type: "video", duration: 10, size: expect.any(Number) }],
    [
      { kind: "file", file: { size: 900, name: "offer.pdf" } },
      { type: "file", file_name: "offer.pdf", size: 900 },
    ],
    [{ kind: "sticker" }, { type: "sticker", sticker_id: 46105 }],
    [
      { kind: "contact", name: "Bob", phone: "+44" },
      { type: "contact", contact: { name: "Bob", phone_number: "+44" } },
    ],
    [{ kind: "location" }, { type: "location", location: { lat: 50.76, lon: 6.1 } }],
    [
      { kind: "url", url: "https://example.com/1" },
      { type: "url", media: "https://example.com/1" },
    ],
  ];
  test("cause a callback with the sender and a signature, of every kind", () =>
    withReceiver(async ({ ann }, receiver) => {
      for (const [index, [body, expected]] of cases.entries()) {
        expect(await ann("messages", body)).toMatchObject({
          callbacks: 1,
          subscribed: true,
          viber_id: annId,
        });
        await receiver.reach(index + 2);
        const item = receiver.items[index + 1];
        expectSigned(item);
        expect(item?.raw).toMatch(/"message_token":\d{18,19},/);
        expect(item?.body).toMatchObject({
          event: "message",
          sender: { id: annId, name: "Ann", country: "UK", language: "en", api_version: 10 },
          message: expected,
          silent: false,
        });
      }
    }));

  test("files by URLs that are valid for two hours", () =>
    withReceiver(async ({ admin, ann }) => {
      const base64 = Buffer.from("%PDF-1.4 hi").toString("base64");
      const { message } = await ann("messages", { kind: "file", file: { base64, name: "a b.pdf" } });
      const url = String(message?.["media"]);
      expect(await (await fetch(url)).text()).toBe("%PDF-1.4 hi");
      await admin("POST /time", { advance_seconds: 7201 });
      expect((await fetch(url)).status).toBe(404);
    }));

  test("opening by a deep link, a welcome message in the response, the first message, unsubscribing and subscribing again", () =>
    withReceiver(async ({ admin, ann, send }, receiver) => {
      receiver.answer = ({ body }, response) =>
        response.end(
          (body["event"] as unknown) === "conversation_started"
            ? JSON.stringify({ ...text, tracking_data: "t" })
            : "",
        );
      await ann("scans", { url: `viber://pa?chatURI=${demo.uri}&context=abc%3D` });
      const sent = await admin(`GET /bots/${demo.botId}/sent?count=1`);
      expect(sent["items"]).toMatchObject([{ method: "welcome", message: text }]);
      expect(await send(text)).toBe("6 receiverNotSubscribed");
      await ann("messages", { text: "hi" });
      await ann("unsubscriptions");
      await ann("subscriptions");
      await receiver.reach(6);
      expect(receiver.items.slice(1).map(({ body }) => body)).toMatchObject([
        {
          event: "conversation_started",
          type: "open",
          context: "abc=",
          subscribed: false,
          user: { id: annId, name: "Ann" },
        },
        { event: "delivered", user_id: annId },
        { event: "message", message: { tracking_data: "t" } },
        { event: "unsubscribed", user_id: annId },
        { event: "subscribed", user: { id: annId } },
      ]);
      receiver.answer = (_received, response) => response.end('{"type":"text"}');
      await ann("opens");
      expect(await admin("GET /calls?method=welcome&count=2")).toMatchObject({
        items: [{ status: 0 }, { status: 3 }],
      });
    }));

  test("receipts of each device, seen, and failures; a hidden profile is named Subscriber", () =>
    withReceiver(async ({ admin, ann, send }, receiver) => {
      await admin("POST /users", { id: demo.userId, devices: 2, hides_profile: true });
      await ann("messages", { text: "hi" });
      await send(text);
      await ann("reads");
      await ann("failures", { desc: "Gone" });
      await receiver.reach(6);
      expect(receiver.items[1]?.body["sender"]).toEqual({
        id: annId,
        name: "Subscriber",
        country: "UK",
        language: "en",
        api_version: 10,
      });
      expect(receiver.items.slice(2).map(eventOf)).toEqual(["delivered", "delivered", "seen", "failed"]);
      const tokens = receiver.items.slice(2).map(({ raw }) => /"message_token":(\d+)/.exec(raw)?.[1]);
      expect(new Set(tokens).size).toBe(1);
      expect(receiver.items[5]?.body["desc"]).toBe("Gone");
    }));

  test("presses on every kind of button", () =>
    withReceiver(async ({ ann, send }) => {
      await ann("messages", { text: "hi" });
      const Buttons = [
        { ActionType: "reply", ActionBody: "yes-1", Text: "<font color='#fff'>Yes</font>" },
        { ActionType: "open-url", ActionBody: "https://example.com", Text: "Open" },
        { ActionType: "share-phone", ActionBody: "phone", Text: "Phone" },
        { ActionType: "location-picker", ActionBody: "place", Text: "Place" },
        { ActionType: "none", Text: "Nothing" },
      ];
      expect(await send({ ...text, min_api_version: 3, keyboard: { Type: "keyboard", Buttons } })).toBe(
        "0 ok",
      );
      expect(await ann("presses", { text: "Yes" })).toMatchObject({
        kind: "reply",
        message: { text: "yes-1" },
      });
      expect(await ann("presses", { text: "Open" })).toEqual({ kind: "url", url: "https://example.com" });
      const kinds: unknown[] = [];
      for (const label of ["Phone", "Place", "Nothing"])
        kinds.push((await ann("presses", { text: label }))["kind"]);
      expect(kinds).toEqual(["contact", "location", "none"]);
    }));
});

describe("callbacks", () => {
  test("are retried for an hour", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      await admin("POST /settings", { retry_scale: 1 });
      receiver.answer = (_received, response) => response.writeHead(500).end();
      await ann("messages", { text: "hi" });
      const attempts = "GET /callbacks?event=message";
      for (const [index, seconds] of [5, 15, 60, 180, 600, 1200].entries()) {
        await admin(`${attempts}&count=${index + 1}`);
        await admin("POST /time", { advance_seconds: seconds });
      }
      await admin(`${attempts}&count=7`);
      await admin("POST /time", { advance_seconds: 3600 });
      receiver.answer = (_received, response) => response.end();
      await ann("messages", { text: "later" });
      const page = await admin(`${attempts}&count=8`);
      const items = page["items"] as unknown as { callback_id: number; delivered: boolean }[];
      expect(items.filter(({ callback_id: id }) => id === items[0]?.callback_id)).toHaveLength(7);
      expect(items.at(-1)).toMatchObject({ delivered: true });
    }));

  test("are sent several times, reordered, forged", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      await admin("POST /callbacks/holds");
      await ann("messages", { text: "1" });
      await ann("messages", { text: "2" });
      await admin("POST /callbacks/releases", { pick: [2, 1] });
      await receiver.reach(3);
      expect(receiver.items.slice(1).map(({ body }) => body["message"]?.["text"])).toEqual(["2", "1"]);
      const { items } = await admin("GET /callbacks?event=message&count=2");
      const seq = items?.[0]?.["seq"];
      await admin(`POST /callbacks/${seq}/repeats`, { times: 2 });
      expect(receiver.items.slice(3).map(({ raw }) => raw)).toEqual(Array(2).fill(receiver.items[1]?.raw));
      await admin(`POST /callbacks/${seq}/forgeries`, {
        text: '{"event":"message"}',
        headers: { "x-viber-content-signature": "0".repeat(64) },
      });
      expect(receiver.items[5]?.headers["x-viber-content-signature"]).toBe("0".repeat(64));
      await admin("POST /settings", { deliveries: 3 });
      await ann("messages", { text: "3" });
      await receiver.reach(9);
      expect(new Set(receiver.items.slice(6).map(({ raw }) => raw)).size).toBe(1);
    }));
});

describe("faults", () => {
  test("statuses, slow responses, broken connections, proxies", () =>
    withReceiver(async ({ admin, ann, api, send }) => {
      await ann("messages", { text: "hi" });
      await admin("POST /faults", { method: "send_message", viber_id: annId, status: 24, times: 2 });
      expect(await api("get_account_info")).toMatchObject({ status: 0 });
      expect(await send(text)).toBe("24 noBalance");
      await admin("DELETE /faults");
      await admin("POST /faults", { status: 77, status_message: "odd", hang_ms: 5 });
      expect(await send(text)).toBe("77 odd");
      await admin("POST /faults", { drop: "after" });
      await expect(send(text)).rejects.toThrow();
      expect(await admin(`GET /bots/${demo.botId}/sent`)).toMatchObject({ count: 1 });
      await admin("POST /faults", { http_status: 503 });
      await expect(send(text)).rejects.toThrow();
      expect(await admin("GET /calls?refused=true")).toMatchObject({
        items: [{ status: 24 }, { status: 77 }, { status: null }, { status: null }],
      });
    }));

  test("bots, webhooks and subscribers survive a restart", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "viber-"));
    try {
      await withViber(
        async ({ admin, ann }) => {
          await admin("POST /bots", { id: "pa:5", name: "Other" });
          await ann("messages", { text: "hi" });
        },
        { dataDir },
      );
      await withViber(
        async ({ admin, api }) => {
          expect(await api("get_account_info")).toMatchObject({ subscribers_count: 1 });
          expect(await admin("GET /bots")).toMatchObject({
            items: [{ id: demo.botId }, { id: sharedBot.id }, { id: "pa:5", name: "Other" }],
          });
          expect(await api("get_user_details", { id: annId })).toMatchObject({
            status: 0,
            user: { name: "Ann" },
          });
        },
        { dataDir },
      );
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

function eventOf({ body }: Received): unknown {
  return body["event"];
}

function expectSigned(item: Received | undefined): void {
  const signature = createHmac("sha256", demo.token)
    .update(item?.raw ?? "")
    .digest("hex");
  expect(item?.headers["x-viber-content-signature"]).toBe(signature);
}
