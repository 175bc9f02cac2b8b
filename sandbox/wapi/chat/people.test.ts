import { describe, expect, test } from "vitest";
import type { Json } from "../../test-kit.ts";
import { demo } from "../demo.ts";
import { paths, withReceiver } from "../test-kit.ts";

const media = { id: expect.stringMatching(/^\d+$/), sha256: expect.stringMatching(/^[\w+/]{43}=$/) };

describe("messages of people", () => {
  const cases: readonly (readonly [label: string, body: object, message: object])[] = [
    ["text", { text: "hi" }, { type: "text", text: { body: "hi" } }],
    [
      "image",
      { kind: "image", caption: "c" },
      { type: "image", image: { ...media, mime_type: "image/jpeg", caption: "c" } },
    ],
    ["video", { kind: "video" }, { type: "video", video: { ...media, mime_type: "video/mp4" } }],
    [
      "audio",
      { kind: "audio" },
      { type: "audio", audio: { ...media, mime_type: "audio/mpeg", voice: false } },
    ],
    [
      "voice",
      { kind: "voice" },
      { type: "audio", audio: { ...media, mime_type: "audio/ogg; codecs=opus", voice: true } },
    ],
    [
      "document",
      { kind: "document", file: { name: "offer.pdf", size: 5000 } },
      { type: "document", document: { ...media, mime_type: "application/pdf", filename: "offer.pdf" } },
    ],
    [
      "sticker",
      { kind: "sticker", animated: true },
      { type: "sticker", sticker: { ...media, mime_type: "image/webp", animated: true } },
    ],
    [
      "location",
      { kind: "location", latitude: 1.5, longitude: 2.5, name: "Cafe", address: "Street 1" },
      { type: "location", location: { latitude: 1.5, longitude: 2.5, name: "Cafe", address: "Street 1" } },
    ],
    [
      "contacts",
      { kind: "contacts", name: "Lucia Gomez", phone: "+1 (983) 555-2319" },
      {
        type: "contacts",
        contacts: [
          {
            name: { first_name: "Lucia", formatted_name: "Lucia Gomez" },
            phones: [{ phone: "+1 (983) 555-2319", wa_id: "19835552319", type: "MOBILE" }],
          },
        ],
      },
    ],
    ["unsupported", { kind: "unsupported" }, { type: "unsupported", errors: [{ code: 131051 }] }],
    ["order", { kind: "order" }, { type: "order", order: { catalog_id: expect.any(String) } }],
    [
      "flow",
      { kind: "flow", response: { a: 1 } },
      { interactive: { nfm_reply: { name: "flow", response_json: '{"flow_token":"unused","a":1}' } } },
    ],
    [
      "a number on request",
      { kind: "contact_request", name: "Ann", phone: "16505551234" },
      {
        type: "contacts",
        origin: "contact_request/other",
        contacts: [{ phones: [{ phone: "16505551234" }] }],
      },
    ],
    [
      "call permission",
      { kind: "call_permission" },
      { interactive: { type: "call_permission_reply", call_permission_reply: { response: "accept" } } },
    ],
    ["in a group", { text: "hi", group_id: "Y2Fw" }, { type: "text", group_id: "Y2Fw" }],
    ["forwarded", { text: "hi", forwarded: true }, { type: "text", context: { forwarded: true } }],
    [
      "from an advertisement",
      { text: "hi", referral: { source_type: "ad" } },
      { referral: { source_type: "ad" } },
    ],
  ];

  test.each(cases)("%s", (_label, body, message) =>
    withReceiver(async ({ ann }, receiver) => {
      expect(await ann("messages", body)).toMatchObject({ callbacks: 1, message });
      await receiver.reach(1);
      expect(receiver.values()[0]?.["messages"]).toMatchObject([{ from: demo.user, ...message }]);
    }),
  );

  test("replies, reactions, and presses on every kind of button", () =>
    withReceiver(async ({ ann, send }, receiver) => {
      await ann("messages", { text: "hi" });
      const buttons = await send({
        type: "interactive",
        interactive: {
          type: "button",
          body: { text: "?" },
          action: { buttons: [{ type: "reply", reply: { id: "yes-1", title: "Yes" } }] },
        },
      });
      const list = await send({
        type: "interactive",
        interactive: {
          type: "list",
          body: { text: "?" },
          action: { button: "Choose", sections: [{ rows: [{ id: "r1", title: "Row", description: "D" }] }] },
        },
      });
      const link = { display_text: "Open", url: "https://example.com/" };
      await send({
        type: "interactive",
        interactive: { type: "cta_url", body: { text: "?" }, action: { name: "cta_url", parameters: link } },
      });
      const template = await send({
        type: "template",
        template: {
          name: "order_confirmation",
          language: { code: "en_US" },
          components: [
            { type: "body", parameters: ["a", "b"].map((text) => ({ type: "text", text })) },
            {
              type: "button",
              sub_type: "quick_reply",
              index: 0,
              parameters: [{ type: "payload", payload: "stop" }],
            },
          ],
        },
      });
      await receiver.reach(9);
      const before = receiver.items.length;
      const from = demo.phone;
      expect(await ann("messages", { text: "ok", reply_to: buttons })).toMatchObject({
        message: { context: { from, id: buttons } },
      });
      expect(await ann("reactions", { message_id: list, emoji: "👍" })).toMatchObject({
        message: { type: "reaction", reaction: { message_id: list, emoji: "👍" } },
      });
      expect(await ann("reactions", { message_id: list })).toMatchObject({
        message: { reaction: { message_id: list } },
      });
      expect(await ann("presses", { title: "Yes" })).toMatchObject({
        message: {
          context: { from, id: buttons },
          type: "interactive",
          interactive: { type: "button_reply", button_reply: { id: "yes-1", title: "Yes" } },
        },
      });
      expect(await ann("presses", { id: "r1" })).toMatchObject({
        message: {
          interactive: { type: "list_reply", list_reply: { id: "r1", title: "Row", description: "D" } },
        },
      });
      expect(await ann("presses", { title: "Open" })).toEqual({ url: "https://example.com/" });
      expect(await ann("presses", { title: "Stop updates" })).toMatchObject({
        message: {
          context: { from, id: template },
          type: "button",
          button: { payload: "stop", text: "Stop updates" },
        },
      });
      await receiver.reach(before + 6);
      await expect(ann("presses", { title: "No" })).rejects.toThrow(/not_found/);
    }));

  test("files are downloaded with the token, by a link that is valid for five minutes; the id is valid for seven days", () =>
    withReceiver(async ({ admin, ann, base, graph, ok }) => {
      const { message } = await ann("messages", { kind: "document", file: { size: 3000 } });
      const id = message?.["document"]?.["id"];
      const info = await ok(`GET /v23.0/${id}?phone_number_id=${demo.numberId}`);
      expect(info).toMatchObject({
        messaging_product: "whatsapp",
        mime_type: "application/pdf",
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        file_size: "3000",
        id,
      });
      const url = String(info["url"]);
      expect(url).toMatch(new RegExp(`^${base}/whatsapp_business/attachments/`));
      const download = (token?: string) =>
        fetch(url, token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } });
      const good = await download(demo.token);
      expect([good.status, good.headers.get("content-type"), (await good.arrayBuffer()).byteLength]).toEqual([
        200,
        "application/pdf",
        3000,
      ]);
      expect((await download()).status).toBe(401);
      await admin("POST /time", { advance_seconds: 301 });
      expect((await download(demo.token)).status).toBe(404);
      await admin("POST /time", { advance_seconds: 7 * 24 * 3600 });
      expect(await graph(`GET /v23.0/${id}`)).toMatchObject({
        status: 400,
        body: { error: { code: 100, error_subcode: 33 } },
      });
    }));

  test("the link in the callback itself, if enabled", () =>
    withReceiver(async ({ admin, ann }) => {
      await admin("POST /settings", { media_urls: true });
      const { message } = await ann("messages", { kind: "image" });
      const response = await fetch(String(message?.["image"]?.["url"]), {
        headers: { Authorization: `Bearer ${demo.token}` },
      });
      expect(response.status).toBe(200);
    }));
});

describe("people without a number", () => {
  const hidden = {
    id: "ghost",
    phone: "16505550000",
    name: "Sheena",
    username: "sheena",
    hides_number: true,
  };
  const ghost = `POST /numbers/${demo.numberId}/users/ghost`;

  test("have a business-scoped id, which replies use", () =>
    withReceiver(async ({ admin, ok, refused }, receiver) => {
      await admin("POST /users", hidden);
      const { message } = await admin(`${ghost}/messages`, { text: "hi" });
      const userId = String(message?.["from_user_id"]);
      expect(message).not.toHaveProperty("from");
      await receiver.reach(1);
      expect(receiver.values()[0]?.["contacts"]).toEqual([
        { profile: { name: "Sheena", username: "@sheena" }, user_id: userId },
      ]);
      const answer = { messaging_product: "whatsapp", type: "text", text: { body: "hello" } };
      expect(await ok(`POST ${paths.messages}`, { ...answer, recipient: userId })).toMatchObject({
        contacts: [{ input: userId, user_id: userId }],
      });
      await receiver.reach(3);
      const [status] = (receiver.values().at(-1)?.["statuses"] ?? []) as unknown as Json[];
      expect(status).toMatchObject({ status: "delivered", recipient_user_id: userId });
      expect(status).not.toHaveProperty("recipient_id");
      expect(await refused(`POST ${paths.messages}`, { ...answer, recipient: "Sheena" })).toMatch(/131009/);
    }));

  test("the id is accepted in `to`, but the message does not arrive", () =>
    withReceiver(async ({ admin, ok, ann }, receiver) => {
      await admin("POST /users", hidden);
      const { message } = await admin(`${ghost}/messages`, { text: "hi" });
      const to = message?.["from_user_id"];
      await ok(`POST ${paths.messages}`, {
        messaging_product: "whatsapp",
        to,
        type: "text",
        text: { body: "lost" },
      });
      await ann("messages", { text: "later" });
      await receiver.reach(2);
      expect(receiver.values().map((value) => value["statuses"])).toEqual([undefined, undefined]);
    }));

  test("one-time codes cannot be sent to them", () =>
    withReceiver(async ({ admin, refused }) => {
      await admin("POST /users", hidden);
      const { message } = await admin(`${ghost}/messages`, { text: "hi" });
      const button = { type: "OTP", otp_type: "COPY_CODE" };
      const components = [{ type: "BODY" }, { type: "BUTTONS", buttons: [button] }];
      await admin(`POST /wabas/${demo.wabaId}/templates`, {
        name: "code",
        category: "AUTHENTICATION",
        components,
      });
      const template = {
        name: "code",
        language: { code: "en_US" },
        components: [
          { type: "body", parameters: [{ type: "text", text: "123" }] },
          { type: "button", sub_type: "url", index: 0, parameters: [{ type: "text", text: "123" }] },
        ],
      };
      const request = {
        messaging_product: "whatsapp",
        recipient: message?.["from_user_id"],
        type: "template",
        template,
      };
      expect(await refused(`POST ${paths.messages}`, request)).toMatch(/^400 \(#131062\)/);
    }));

  test("a new id, and a new number", () =>
    withReceiver(async ({ admin, ann, send }, receiver) => {
      const before = await ann("messages", { text: "hi" });
      await ann("user_id_changes");
      const after = await ann("messages", { text: "hi" });
      await receiver.reach(4);
      const previous = before["message"]?.["from_user_id"];
      const current = after["message"]?.["from_user_id"];
      expect(current).not.toBe(previous);
      expect(receiver.values()[1]?.["messages"]).toMatchObject([
        { type: "system", system: { type: "user_changed_user_id", user_id: current } },
      ]);
      expect(receiver.values("user_id_update")).toMatchObject([
        { user_id_update: [{ wa_id: demo.user, user_id: { previous, current } }] },
      ]);
      await ann("number_changes", { phone: "12195555358" });
      await receiver.reach(5);
      const value = receiver.values().at(-1);
      expect(value).not.toHaveProperty("contacts");
      expect(value?.["messages"]).toMatchObject([
        {
          from: demo.user,
          type: "system",
          system: {
            body: `User Ann changed from ${demo.user} to 12195555358`,
            wa_id: "12195555358",
            type: "user_changed_number",
          },
        },
      ]);
      const renamed = await admin("POST /users", { id: demo.user, name: "Anna" });
      expect(renamed).toMatchObject({ name: "Anna", phone: "12195555358" });
      expect(await ann("messages", { text: "hi" })).toMatchObject({ message: { from: "12195555358" } });
      const taken = admin("POST /users", { phone: "12195555358" });
      await expect(taken).rejects.toThrow(/exists/);
      await send({ to: "12195555358", type: "text", text: { body: "hello" } });
      await receiver.reach(8);
      expect(receiver.values().at(-1)).toMatchObject({
        contacts: [{ profile: { name: "Anna" } }],
        statuses: [{ status: "delivered", recipient_id: "12195555358" }],
      });
    }));

  test("the format before these ids existed", () =>
    withReceiver(async ({ admin, ann }) => {
      await admin("POST /settings", { user_ids: false });
      const { message } = await ann("messages", { text: "hi" });
      expect(message).not.toHaveProperty("from_user_id");
    }));
});

describe("the phone's own app", () => {
  test("messages written there cause echoes, as do edits and deletions", () =>
    withReceiver(async ({ admin, ann }, receiver) => {
      const echo = (body: object) =>
        admin(`POST /numbers/${demo.numberId}/echoes`, { user_id: demo.user, ...body });
      const { message } = await echo({ text: "From the phone" });
      await echo({ kind: "image", caption: "c" });
      await echo({ kind: "edit", message_id: message?.["id"], text: "Edited" });
      await echo({ kind: "revoke", message_id: message?.["id"] });
      await receiver.reach(4);
      expect(receiver.values("smb_message_echoes").map((value) => value["message_echoes"])).toMatchObject([
        [{ from: demo.phone, to: demo.user, type: "text", text: { body: "From the phone" } }],
        [{ type: "image", image: { caption: "c" } }],
        [
          {
            type: "edit",
            edit: { original_message_id: message?.["id"], message: { text: { body: "Edited" } } },
          },
        ],
        [{ type: "revoke", revoke: { original_message_id: message?.["id"] } }],
      ]);
      const written = await ann("messages", { text: "typo" });
      const message_id = written["message"]?.["id"];
      expect(await ann("edits", { message_id, text: "fixed" })).toMatchObject({
        message: {
          type: "edit",
          edit: { original_message_id: message_id, message: { text: { body: "fixed" } } },
        },
      });
      expect(await ann("deletions", { message_id })).toMatchObject({
        message: { type: "revoke", revoke: { original_message_id: message_id } },
      });
    }));

  test("a number that is only on the API has no such app", () =>
    withReceiver(async ({ admin }) => {
      const { id } = await admin("POST /numbers", { waba_id: demo.wabaId });
      await expect(admin(`POST /numbers/${id}/echoes`, { user_id: demo.user, text: "x" })).rejects.toThrow(
        /not_on_biz_app/,
      );
    }));
});
