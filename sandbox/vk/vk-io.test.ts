import { createServer, Agent as HttpAgent } from "node:http";
import type { Agent as HttpsAgent } from "node:https";
import { describe, expect, test } from "vitest";
import { APIError, Keyboard, VK } from "vk-io";
import { sampleFile } from "../sample-file.ts";
import { pngFile } from "../test-kit.ts";
import { demo } from "./demo.ts";
import { addServer, community, messageEvents, type VkKit, withVk } from "./test-kit.ts";

/** vk-io with only the address of the API changed. */
function client({ base }: VkKit, options: object = {}): VK {
  // Its types allow only https agents; http needs another one.
  const agent = new HttpAgent() as unknown as HttpsAgent;
  return new VK({
    token: demo.token,
    apiBaseUrl: `${base}/method`,
    apiLimit: 1000,
    ...{ agent },
    ...options,
  });
}

const bytesOf = async (url: unknown) => Buffer.from(await (await fetch(String(url))).arrayBuffer());

describe("vk-io works unchanged", () => {
  test("long polling: texts, keyboards, presses with an answer, edits, a photo and a document", () =>
    withVk(async (kit) => {
      const vk = client(kit, { pollingGroupId: demo.groupId });
      await vk.api.groups.setLongPollSettings({
        group_id: demo.groupId,
        enabled: true,
        api_version: "5.199",
        ...Object.fromEntries(messageEvents.map((name) => [name, true])),
      });
      const png = Buffer.from(await pngFile(640, 480, 3000).arrayBuffer());
      const keyboard = Keyboard.keyboard([
        Keyboard.textButton({ label: "Yes", payload: { answer: 1 }, color: "positive" }),
        Keyboard.callbackButton({ label: "Ask", payload: { ask: true } }),
      ]);
      vk.updates.on("message_new", async (context) => {
        if (context.isOutbox) return;
        if (context.text === "photo") await context.sendPhotos({ value: png, filename: "a.png" });
        else if (context.text === "doc") {
          await context.sendDocuments({ value: Buffer.from("%PDF-1.4 text"), filename: "offer.pdf" });
        } else if (context.messagePayload)
          await context.reply(`payload ${JSON.stringify(context.messagePayload)}`);
        else await context.send("choose", { keyboard });
      });
      vk.updates.on("message_event", (context) => context.answer({ type: "show_snackbar", text: "done" }));
      vk.updates.on("message_edit", async (context) => {
        if (!context.isOutbox) await context.send(`now ${context.text}`);
      });
      await vk.updates.startPolling();
      try {
        await kit.admin(`GET ${community}/polls?count=1`);
        const sent = (count: number) =>
          kit.admin(`GET ${community}/sent?method=messages.send&count=${count}`);
        const { message } = await kit.ann("messages", { text: "hello" });
        await sent(1);
        const press = await kit.ann("presses", { payload: { ask: true }, timeout_ms: 30_000 });
        expect(press["answer"]).toEqual({ type: "show_snackbar", text: "done" });
        await kit.ann("presses", { label: "Yes" });
        await sent(2);
        await kit.ann("edits", {
          conversation_message_id: message?.["conversation_message_id"],
          text: "bye",
        });
        await sent(3);
        await kit.ann("messages", { text: "photo" });
        await sent(4);
        await kit.ann("messages", { text: "doc" });
        const page = await sent(5);
        expect(page["items"]).toMatchObject([
          { message: { text: "choose", keyboard: { inline: false, buttons: [[{}], [{}]] } } },
          { message: { text: 'payload {"answer":1}', reply_message: { text: "Yes" } } },
          { message: { text: "now bye" } },
          { message: { attachments: [{ type: "photo", photo: { owner_id: -demo.groupId } }] } },
          {
            message: {
              attachments: [{ type: "doc", doc: { title: "offer.pdf", ext: "pdf", type: 1, size: 13 } }],
            },
          },
        ]);
        const items = page["items"];
        const photo = items?.[3]?.["message"]?.["attachments"]?.[0]?.["photo"];
        expect(photo?.["sizes"]).toEqual(
          expect.arrayContaining([expect.objectContaining({ width: 640, height: 480 })]),
        );
        expect(await bytesOf(photo?.["orig_photo"]?.["url"])).toEqual(png);
        const doc = items?.[4]?.["message"]?.["attachments"]?.[0]?.["doc"];
        expect((await bytesOf(doc?.["url"])).toString()).toBe("%PDF-1.4 text");
      } finally {
        await vk.updates.stop();
      }
    }));

  test("callbacks: confirmation, secret, and what people send", () =>
    withVk(async (kit) => {
      const { code } = await kit.ok("groups.getCallbackConfirmationCode", { group_id: demo.groupId });
      const vk = client(kit, { webhookSecret: "s3cret", webhookConfirmation: String(code) });
      const seen: unknown[] = [];
      vk.updates.on("message_new", (context) => {
        seen.push([context.text, context.attachments.map(String), context.senderId]);
      });
      vk.updates.on("message_allow", (context) => void seen.push(["allow", context.userId]));
      const webhook = vk.updates.getWebhookCallback();
      const server = createServer((request, response) => {
        webhook(request, response, () => response.writeHead(404).end());
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        const address = server.address();
        const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
        await addServer(kit, url);
        await kit.ann("messages", { text: "hi" });
        await kit.ann("messages", { kind: "photo" });
        await kit.ann("allowances", { key: "site" });
        await kit.admin("GET /callbacks?count=3&status=200");
        expect(seen).toEqual([
          ["hi", [], demo.userId],
          [undefined, [expect.stringMatching(/^photo111_\d+_\w+$/)], demo.userId],
          ["allow", demo.userId],
        ]);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    }));

  test("chats: created, renamed, with a picture and a link, and left by a member", () =>
    withVk(async (kit) => {
      const { api, upload } = client(kit);
      await kit.ann("allowances");
      const made = await api.messages.createChat({ user_ids: demo.userId, title: "Team" });
      const { chat_id } = made as unknown as { chat_id: number };
      await api.messages.editChat({ chat_id, title: "Crew" });
      const value = Buffer.from(await pngFile(320, 320, 3000).arrayBuffer());
      await upload.chatPhoto({ chat_id, source: { value, filename: "a.png" } });
      const { link } = await api.messages.getInviteLink({ peer_id: 2_000_000_000 + chat_id });
      expect(link).toMatch(/^https:/);
      await api.messages.removeChatUser({ chat_id, member_id: demo.userId });
      expect(await kit.admin(`GET ${community}/chats`)).toMatchObject({
        items: [{ title: "Crew", photo: expect.stringMatching(/^http/), user_ids: [] }],
      });
    }));

  test("calls: a voice message, an edit, a deletion, errors", () =>
    withVk(async (kit) => {
      const { api, upload } = client(kit);
      await kit.ann("messages", { text: "hi" });
      const voice = await upload.audioMessage({
        peer_id: demo.userId,
        source: { value: sampleFile("audio/ogg", 500), filename: "a.ogg" },
      });
      // Its types contain only the response for a list of peers.
      const send = async (message: Parameters<typeof api.messages.send>[0]) =>
        Number(await api.messages.send(message));
      const id = await send({
        peer_id: demo.userId,
        random_id: 1,
        attachment: String(voice),
      });
      expect(await api.messages.getById({ message_ids: id })).toMatchObject({
        items: [
          { attachments: [{ type: "audio_message", audio_message: { link_ogg: expect.any(String) } }] },
        ],
      });
      const text = await send({ peer_id: demo.userId, random_id: 2, message: "one" });
      expect(await send({ peer_id: demo.userId, random_id: 2, message: "one" })).toBe(text);
      expect(await api.messages.edit({ peer_id: demo.userId, message_id: text, message: "two" })).toBe(1);
      expect(await api.messages.getHistory({ peer_id: demo.userId })).toMatchObject({
        count: 3,
        items: [{ text: "two" }, { id }, { text: "hi" }],
      });
      expect(await api.messages.delete({ message_ids: text, delete_for_all: true })).toEqual([
        { message_id: text, response: 1 },
      ]);
      await kit.ann("denials");
      const refused = api.messages.send({ peer_id: demo.userId, random_id: 3, message: "x" });
      await expect(refused).rejects.toBeInstanceOf(APIError);
      await expect(refused).rejects.toMatchObject({ code: 901 });
    }));
});
