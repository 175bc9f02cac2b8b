import { WhatsAppClient } from "@kapso/whatsapp-cloud-api";
import { markMessageRead, sendButtonsMessage, sendTextMessage, uploadMedia } from "@whatsapp-cloudapi/client";
import { expect, test } from "vitest";
import { WhatsAppAPI } from "whatsapp-api-js";
import { Contacts, Name, Phone, Text } from "whatsapp-api-js/messages";
import { demo } from "../demo.ts";
import { withWapi } from "../test-kit.ts";

const sentPath = `GET /numbers/${demo.numberId}/sent`;

test("@whatsapp-cloudapi/client: texts, buttons, a file, reading", () =>
  withWapi(async ({ admin, ann, base }) => {
    const client = { accessToken: demo.token, from: demo.numberId, baseUrl: base };
    const to = `+${demo.user}`;
    const { message } = await ann("messages", { text: "hi" });
    const answer = await sendTextMessage({ ...client, to, text: "Hello 👋", previewUrl: true });
    expect(answer.messages[0]?.id).toMatch(/^wamid\./);
    await sendButtonsMessage({ ...client, to, bodyText: "?", buttons: [{ id: "y", title: "Yes" }] });
    const file = new Blob([Buffer.from("89504e470d0a1a0a", "hex")], { type: "image/png" });
    expect(await uploadMedia({ ...client, file })).toMatchObject({ id: expect.stringMatching(/^\d+$/) });
    await markMessageRead({ ...client, messageId: String(message?.["id"]), showTypingIndicator: true });
    expect((await admin(`${sentPath}?count=3`))["items"]).toMatchObject([
      { type: "text" },
      { type: "interactive" },
      { type: "typing" },
    ]);
  }));

test("whatsapp-api-js: contacts as text, QR codes, blocking", () =>
  withWapi(async ({ admin, ann, base }) => {
    await ann("messages", { text: "hi" });
    // The library has a fixed address; only the address is changed here.
    const toSandbox: typeof fetch = (input, init) =>
      fetch(String(input).replace("https://graph.facebook.com", base), init);
    const client = new WhatsAppAPI({
      token: demo.token,
      secure: false,
      v: "v23.0",
      ponyfill: { fetch: toSandbox },
    });
    const card = new Contacts([new Name("Bob B", "Bob"), new Phone("+15550001111", "WORK")]);
    expect(await client.sendMessage(demo.numberId, demo.user, card)).toHaveProperty("messages");
    expect(await client.sendMessage(demo.numberId, demo.user, new Text("Hello"))).toHaveProperty("messages");
    expect((await admin(`${sentPath}?count=2`))["items"]).toMatchObject([
      { type: "contacts" },
      { type: "text" },
    ]);
    const code = await client.createQR(demo.numberId, "Deals!", "png");
    expect(code).toMatchObject({
      prefilled_message: "Deals!",
      qr_image_url: expect.stringMatching(/\.png$/),
    });
    expect(await client.retrieveQR(demo.numberId)).toMatchObject({ data: [{ prefilled_message: "Deals!" }] });
    const blocked = await client.blockUser(demo.numberId, demo.user);
    expect(blocked).toMatchObject({ block_users: { added_users: [{ wa_id: demo.user }] } });
    expect(await client.unblockUser(demo.numberId, demo.user)).toHaveProperty("block_users");
  }));

test("@kapso/whatsapp-cloud-api: lists, links, templates, settings", () =>
  withWapi(async ({ admin, ann, base }) => {
    await ann("messages", { text: "hi" });
    const client = new WhatsAppClient({ accessToken: demo.token, baseUrl: base, graphVersion: "v23.0" });
    const to = { phoneNumberId: demo.numberId, to: demo.user };
    await client.messages.sendText({ ...to, body: "Hello" });
    await client.messages.sendInteractiveCtaUrl({
      ...to,
      bodyText: "See",
      parameters: { displayText: "Open", url: "https://shop.example/" },
    });
    await client.messages.sendInteractiveList({
      ...to,
      bodyText: "Pick",
      buttonText: "Menu",
      sections: [{ title: "Tea", rows: [{ id: "1", title: "Green" }] }],
    });
    expect((await admin(`${sentPath}?count=3`))["items"]).toMatchObject([
      { type: "text" },
      { type: "interactive" },
      { type: "interactive" },
    ]);
    const templates = await client.templates.list({ businessAccountId: demo.wabaId });
    expect(templates.data.length).toBeGreaterThan(0);
    expect(await client.phoneNumbers.settings.get({ phoneNumberId: demo.numberId })).toBeDefined();
    expect(
      await client.phoneNumbers.businessProfile.get({ phoneNumberId: demo.numberId, fields: "about" }),
    ).toHaveProperty("data");
  }));
