import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pngFile } from "../test-kit.ts";
import { demo } from "./demo.ts";
import { paths, withAvito, withReceiver } from "./test-kit.ts";

const text = (value: unknown) => ({ type: "text", message: { text: value } });

describe("sending", () => {
  test("a text; the buyer's read mark is found only by polling", () =>
    withAvito(async ({ admin, ann, ok, send }) => {
      await ann("messages", { text: "Здравствуйте" });
      const id = await send("Добрый день");
      const before = await ok(`GET ${paths.history}`);
      expect(before).toMatchObject({
        messages: [
          {
            id,
            author_id: demo.accountId,
            direction: "out",
            is_read: false,
            read: null,
            content: { text: "Добрый день" },
          },
          { author_id: demo.userId, direction: "in", is_read: false, read: null },
        ],
        meta: { has_more: false },
      });
      expect(await ann("reads")).toEqual({ message_ids: [id] });
      expect((await ok(`GET ${paths.chats}?unread_only=true`))["chats"]).toHaveLength(1);
      expect(await ok(`POST ${paths.read}`)).toEqual({ ok: true });
      expect((await ok(`GET ${paths.chats}?unread_only=true`))["chats"]).toEqual([]);
      const after = await ok(`GET ${paths.history}?limit=1`);
      expect(after).toMatchObject({
        messages: [{ is_read: true, read: expect.any(Number) }],
        meta: { has_more: true },
      });
      await admin("POST /settings", { messages_form: "array" });
      expect(await ok(`GET ${paths.history}`)).toHaveLength(2);
      const sent = await admin(`GET /accounts/${demo.accountId}/sent?count=2`);
      expect(sent["items"]).toMatchObject([{ type: "text", message_id: id }, { type: "read" }]);
    }));

  test("refuses what the platform refuses, and records unknown calls and fields", () =>
    withAvito(async ({ admin, ann, refused }) => {
      const messages = `POST ${paths.messages}`;
      const elsewhere = paths.messages.replace(demo.chatId, "u2i-x");
      const cases: readonly (readonly [string, unknown, string])[] = [
        [
          messages,
          text("x".repeat(1001)),
          '400 Validation error {"message.text":"must be at most 1000 characters"}',
        ],
        [messages, text(""), '400 Validation error {"message.text":"required"}'],
        [messages, text(5), '400 Validation error {"message.text":"a string expected"}'],
        [messages, { type: "image", message: { text: "x" } }, '400 Validation error {"type":"must be text"}'],
        [messages, { ...text("x"), quote: "1" }, '400 Validation error {"quote":"unknown field"}'],
        [`POST ${elsewhere}`, text("x"), "404 Not found"],
        [`${messages}/image`, { image_id: "1.a" }, '400 Validation error {"image_id":"unknown image"}'],
        [`${messages}/0123`, undefined, "404 Not found"],
        [`GET ${paths.history.slice(0, -1)}`, undefined, "404 Not found"],
        [`GET ${paths.messages}`, undefined, "405 Method not allowed"],
        [
          `GET ${paths.chats}?limit=101`,
          undefined,
          '400 Validation error {"limit":"must be between 1 and 100"}',
        ],
        [
          `GET ${paths.chats}?chat_types=x`,
          undefined,
          '400 Validation error {"chat_types":"u2i, u2u or a2u expected"}',
        ],
        [`GET ${paths.chats}?sort=x`, undefined, '400 Validation error {"sort":"unknown field"}'],
        ["POST /messenger/v3/webhook", { url: "x" }, '400 Validation error {"url":"must be a URL"}'],
        [
          "POST /messenger/v3/webhook",
          { url: "https://x", secret: "s" },
          '400 Validation error {"secret":"unknown field"}',
        ],
      ];
      for (const [route, body, expected] of cases)
        expect(`${route}: ${await refused(route, body)}`).toBe(`${route}: ${expected}`);
      expect(await admin("GET /calls?unknown=true")).toMatchObject({ count: 5 });
      await ann("blocks");
      expect(await refused(messages, text("x"))).toBe("403 Forbidden");
    }));

  test("deletes own messages within an hour", () =>
    withAvito(async ({ admin, ann, ok, refused, send }) => {
      const id = await send("oops");
      const late = await send("too late");
      const { message } = await ann("messages", { text: "hers" });
      expect(await refused(`POST ${paths.messages}/${message?.["id"]}`)).toBe("403 Forbidden");
      expect(await ok(`POST ${paths.messages}/${id}`)).toEqual({});
      expect((await ok(`GET ${paths.history}`))["messages"]?.[2]).toMatchObject({
        id,
        type: "deleted",
        content: {},
      });
      await admin("POST /time", { advance_seconds: 3601 });
      expect(await refused(`POST ${paths.messages}/${late}`)).toBe("400 Message can not be deleted");
    }));

  test("an uploaded picture; other files, large ones and those of other accounts are refused", () =>
    withAvito(async ({ ok, refused }) => {
      const form = (name: string, file: File) => {
        const data = new FormData();
        data.set(name, file);
        return data;
      };
      const upload = `POST ${paths.uploadImages}`;
      const uploaded = await ok(upload, form("uploadfile[]", pngFile(1280, 960)));
      const [imageId = ""] = Object.keys(uploaded);
      const sent = await ok(`POST ${paths.messages}/image`, { image_id: imageId });
      expect(sent).toMatchObject({
        type: "image",
        author_id: demo.accountId,
        content: { image: { sizes: uploaded[imageId] } },
      });
      const picture = await fetch(String(uploaded[imageId]?.["1280x960"]));
      expect(picture.headers.get("content-type")).toBe("image/png");
      const pdf = new File(["%PDF-1.4"], "a.pdf");
      const cases = [
        [form("uploadfile[]", pdf), '400 Validation error {"uploadfile[]":"unsupported image format"}'],
        [form("uploadfile", pngFile(1, 1)), '400 Validation error {"uploadfile[]":"required"}'],
        [
          form("uploadfile[]", pngFile(10_000, 7501)),
          '400 Validation error {"uploadfile[]":"resolution is too large"}',
        ],
        [form("uploadfile[]", pngFile(1, 1, 24 * 1024 * 1024 + 1)), "413 File is too large"],
      ] as const;
      for (const [body, expected] of cases) expect(await refused(upload, body)).toBe(expected);
    }));

  test("every response contains the number of calls left in this minute", () =>
    withAvito(async ({ admin, api, refused }) => {
      await admin("POST /flood", { per_minute: 2 });
      const { headers } = await api(`GET ${paths.chats}`);
      expect([headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")]).toEqual(["2", "1"]);
      await api(`GET ${paths.chats}`);
      expect(await refused(`GET ${paths.chats}`)).toBe("429 Too many requests");
      await admin("POST /time", { advance_seconds: 60 });
      expect((await api(`GET ${paths.chats}`)).status).toBe(200);
    }));

  test("chats by listing and type, and blocked writers", () =>
    withAvito(async ({ admin, ok, refused }) => {
      await admin("POST /items", { id: 5, title: "Bicycle" });
      await admin("POST /users", { id: 222, name: "Bob" });
      const bicycle = await admin("POST /chats", { user_id: 222, item_id: 5 });
      const profile = await admin("POST /chats", { user_id: 222, type: "u2u" });
      const avito = await admin("POST /chats", { user_id: 222, type: "a2u" });
      const ids = async (query: string) =>
        ((await ok(`GET ${paths.chats}${query}`))["chats"] as unknown as { id: string }[])
          .map(({ id }) => id)
          .sort();
      expect(await ids("")).toEqual([demo.chatId, bicycle["id"]].sort());
      expect(await ids("?item_ids=5,6")).toEqual([bicycle["id"]]);
      expect(await ids("?chat_types=u2u,a2u")).toEqual([profile["id"], avito["id"]].sort());
      expect(await ids("?limit=1&offset=2")).toEqual([]);
      expect(await ok(`GET ${paths.chat}`)).toMatchObject({
        context: { type: "item", value: { id: demo.itemId, title: "Mazda 3 2008", user_id: demo.accountId } },
        users: [{ id: demo.accountId }, { id: demo.userId, name: "Ann" }],
      });
      const toAvito = paths.messages.replace(demo.chatId, String(avito["id"]));
      expect(await refused(`POST ${toAvito}`, text("x"))).toBe("403 Forbidden");
      await ok(`POST ${paths.blacklist}`, {
        users: [{ user_id: 222, context: { item_id: 5, reason_id: 1 } }],
      });
      await expect(admin(`POST /chats/${bicycle["id"]}/messages`, { text: "spam" })).rejects.toThrow(
        "blacklisted",
      );
      expect(
        await refused(`POST ${paths.blacklist}`, { users: [{ user_id: 1, context: { reason_id: 9 } }] }),
      ).toMatch(/^400/);
    }));
});

describe("inbound messages", () => {
  const cases: readonly (readonly [body: object, expected: object])[] = [
    [{ text: "hi" }, { type: "text", content: { text: "hi" } }],
    [{ kind: "image" }, { type: "image", content: { image: { sizes: { "1280x960": expect.any(String) } } } }],
    [{ kind: "voice" }, { type: "voice", content: { voice: { voice_id: expect.any(String) } } }],
    [
      { kind: "link", url: "https://example.com/1" },
      { type: "link", content: { link: { url: "https://example.com/1" } } },
    ],
    [{ kind: "item" }, { type: "item", content: { item: { title: "Mazda 3 2008" } } }],
    [{ kind: "location" }, { type: "location", content: { location: { kind: "house", lat: 55.78 } } }],
    [{ kind: "call" }, { type: "call", content: { call: { status: "missed" } } }],
    [{ kind: "appCall" }, { type: "appCall", content: {} }],
    [{ kind: "file" }, { type: "file", content: {} }],
    [{ kind: "video" }, { type: "video", content: {} }],
  ];
  test("cause a callback with the listing and a signature, of every kind", () =>
    withReceiver(async ({ ann, ok }, receiver) => {
      for (const [index, [body, expected]] of cases.entries()) {
        expect(await ann("messages", body)).toMatchObject({ callbacks: 1 });
        await receiver.reach(index + 1);
        const { raw = "", headers, body: callback } = receiver.items[index] ?? {};
        expect(headers?.["x-avito-messenger-signature"]).toBe(
          createHmac("sha256", demo.clientSecret).update(raw).digest("hex"),
        );
        expect(callback).toMatchObject({
          version: "v3.0.0",
          payload: {
            type: "message",
            value: {
              chat_id: demo.chatId,
              user_id: demo.accountId,
              author_id: demo.userId,
              chat_type: "u2i",
              item_id: demo.itemId,
              read: null,
              ...expected,
            },
          },
        });
      }
      const history = await ok(`GET ${paths.history}`);
      expect(history["messages"]).toHaveLength(cases.length);
    }));

  test("callbacks also report own messages, those of the application and of Avito; deletions only if enabled", () =>
    withReceiver(async ({ admin, ann, ok, send }, receiver) => {
      const id = await send("by the API");
      await ann("echoes", { text: "by the app", reply_to: id });
      await ann("system", { text: "discount" });
      const { message } = await ann("messages", { text: "gone" });
      expect(await ann("deletions", { message_id: message?.["id"] })).toMatchObject({ callbacks: 0 });
      await admin("POST /settings", { tell_deletions: true });
      expect(await ann("deletions", { message_id: message?.["id"] })).toMatchObject({ callbacks: 1 });
      await receiver.reach(5);
      const values = receiver.items.map(({ body }) => body["payload"]?.["value"]);
      expect(values).toMatchObject([
        { id, author_id: demo.accountId, type: "text" },
        { author_id: demo.accountId, content: { text: "by the app" } },
        { author_id: 1, type: "system", content: { flow_id: "seller_audience_discount" } },
        { author_id: demo.userId, type: "text" },
        { id: message?.["id"], type: "deleted", content: {} },
      ]);
      expect((await ok(`GET ${paths.history}`))["messages"]?.[2]).toMatchObject({
        quote: { id, type: "text" },
      });
    }));

  test("callbacks report a notice of Avito's after the first message, and what no client knows", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      await admin("POST /settings", { notices: true });
      for (const text of ["hi", "again"]) await ann("messages", { text });
      await receiver.reach(3);
      const values = receiver.items.map(({ body }) => body["payload"]?.["value"]);
      expect(values).toMatchObject([
        { author_id: demo.userId, content: { text: "hi" } },
        { author_id: 0, type: "system", content: { flow_id: "sbc_seller_notification" } },
        { author_id: demo.userId, content: { text: "again" } },
      ]);
      await admin("POST /settings", { novelty: 7 });
      for (let left = 10; left > 0; left--) await ann("messages", { text: "hello" });
      await receiver.reach(14);
      const later = JSON.stringify(receiver.items.slice(3).map(({ body }) => body));
      expect([/"new_\d+"/.test(later), /"new_event_\d+"/.test(later)]).toEqual([true, true]);
    }));

  test("voice messages by a link that is valid for an hour", () =>
    withAvito(async ({ admin, ann, ok }) => {
      const { message } = await ann("messages", { kind: "voice" });
      const id = String(message?.["content"]?.["voice"]?.["voice_id"]);
      const { voices_urls } = await ok(`GET ${paths.voices}?voice_ids=${id}&voice_ids=unknown`);
      expect(Object.keys(voices_urls ?? {})).toEqual([id]);
      const link = String(voices_urls?.[id]);
      const file = Buffer.from(await (await fetch(link)).arrayBuffer());
      expect(file.toString("latin1", 4, 8)).toBe("ftyp");
      await admin("POST /time", { advance_seconds: 3601 });
      expect((await fetch(link)).status).toBe(403);
    }));
});

describe("webhooks", () => {
  test("several for an account; one without a response within two seconds is not retried", () =>
    withReceiver(async ({ admin, ann, ok }, receiver) => {
      const other = receiver.url.replace("/hook", "/other");
      await ok("POST /messenger/v3/webhook", { url: other });
      expect(await ok("POST /messenger/v1/subscriptions")).toEqual({
        subscriptions: [
          { url: receiver.url, version: "3" },
          { url: other, version: "3" },
        ],
      });
      receiver.answer = ({ path }, response) => {
        if (path === "/other") response.end("ok");
      };
      await admin("POST /callbacks/holds");
      expect(await ann("messages", { text: "hi" })).toMatchObject({ callbacks: 2 });
      const { items: held } = await admin("GET /callbacks/holds");
      const toOther = 1 + (held as unknown as { url: string }[]).findIndex(({ url }) => url === other);
      await admin("POST /callbacks/releases", { pick: [toOther], keep_holding: true });
      await admin("GET /callbacks?count=1");
      // Only for the one that gets no response.
      await admin("POST /settings", { callback_timeout_ms: 50 });
      await admin("POST /callbacks/releases");
      const page = await admin("GET /callbacks?count=2");
      const ends = (page["items"] as unknown as { url: string; status: number }[]).map(({ url, status }) => [
        url,
        status,
      ]);
      expect(ends.sort()).toEqual(
        [
          [receiver.url, 0],
          [other, 200],
        ].sort(),
      );
      await ok("POST /messenger/v1/webhook/unsubscribe", { url: receiver.url });
      expect(await ann("messages", { text: "again" })).toMatchObject({ callbacks: 1 });
      await admin("GET /callbacks?count=3");
      expect(receiver.items.filter(({ path }) => path === "/hook")).toHaveLength(1);
    }));

  test("with retries if enabled, sent twice, and forged", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      await admin("POST /settings", { retries: 2 });
      receiver.answer = (_received, response) =>
        response.writeHead(receiver.items.length < 3 ? 500 : 200).end();
      await ann("messages", { text: "hi" });
      const { items } = await admin("GET /callbacks?count=3");
      expect(items).toMatchObject([
        { status: 500 },
        { status: 500 },
        { status: 200, attempt: 3, callback_id: 1 },
      ]);
      await admin(`POST /callbacks/${items?.[0]?.["seq"]}/forgeries`, {
        headers: { "x-avito-messenger-signature": null },
      });
      expect(receiver.items[3]?.headers).not.toHaveProperty("x-avito-messenger-signature");
      await admin("POST /settings", { deliveries: 2 });
      await ann("messages", { text: "twice" });
      await receiver.reach(6);
      expect(receiver.items[4]?.raw).toBe(receiver.items[5]?.raw);
    }));
});

describe("faults", () => {
  test("errors, broken connections, a proxy", () =>
    withAvito(async ({ admin, api, ok, refused }) => {
      await admin("POST /faults", { call: "messages", chat_id: demo.chatId, error_code: 503, times: 1 });
      await ok(`GET ${paths.chats}`);
      expect(await refused(`POST ${paths.messages}`, text("x"))).toBe("503 Service unavailable");
      await admin("POST /faults", { method: "POST", drop: "after" });
      await expect(api(`POST ${paths.messages}`, text("x"))).rejects.toThrow();
      expect(await admin(`GET /accounts/${demo.accountId}/sent`)).toMatchObject({ count: 1 });
      await admin("POST /faults", { http_status: 502, hang_ms: 5 });
      await expect(api(`GET ${paths.chats}`)).rejects.toThrow();
      await admin("POST /faults", { error_code: 429, retry_after: 7 });
      expect((await api(`GET ${paths.chats}`)).headers.get("retry-after")).toBe("7");
      expect(await admin("GET /calls?refused=true")).toMatchObject({
        items: [{ status: 503 }, { status: 0 }, { status: 0 }, { status: 429 }],
      });
    }));

  test("accounts, tokens, chats, webhooks and files survive a restart", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "avito-"));
    try {
      let refreshToken = "";
      await withAvito(
        async ({ admin, ann, ok }) => {
          refreshToken = String((await admin("POST /tokens"))["refresh_token"]);
          await ok("POST /messenger/v3/webhook", { url: "https://example.com/a" });
          await ann("messages", { text: "hi" });
          await ann("blocks");
        },
        { dataDir },
      );
      await withAvito(
        async ({ admin, token }) => {
          expect(await admin("GET /accounts")).toMatchObject({
            items: [{ webhooks: ["https://example.com/a"] }],
          });
          expect(await admin(`GET /chats/${demo.chatId}`)).toMatchObject({
            blocked: true,
            item_id: demo.itemId,
          });
          expect((await token({ grant_type: "refresh_token", refresh_token: refreshToken })).status).toBe(
            200,
          );
        },
        { dataDir },
      );
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
