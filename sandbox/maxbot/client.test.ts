import { createServer } from "node:http";
import { Bot, Keyboard } from "@maxhub/max-bot-api";
import { describe, expect, test } from "vitest";
import { demo } from "./demo.ts";
import { type MaxbotKit, withMaxbot } from "./test-kit.ts";

/** The official client with only its address changed. */
function openBot({ base }: MaxbotKit, token: string = demo.token): Bot {
  return new Bot(token, { clientOptions: { baseUrl: `${base}/` } });
}

describe("@maxhub/max-bot-api works unchanged", () => {
  test("long polling: start, texts, a keyboard, a press, an edit", () =>
    withMaxbot(async (kit) => {
      const { admin, ann } = kit;
      const bot = openBot(kit);
      bot.on("bot_started", (context) =>
        context.reply(`welcome ${context.user.first_name} ${context.startPayload}`),
      );
      bot.on("message_created", (context) =>
        context.reply("pick", {
          attachments: [Keyboard.inlineKeyboard([[Keyboard.button.callback("A", "a")]])],
        }),
      );
      bot.action("a", async (context) => {
        await context.answerOnCallback({
          message: { text: "picked", attachments: [] },
        });
      });
      const running = bot.start();
      await admin("GET /calls?path=/updates&count=1");
      await ann("start", { payload: "abc" });
      await admin(`GET /bots/${demo.botId}/sent?count=1`);
      await ann("messages", { text: "hello" });
      await admin(`GET /bots/${demo.botId}/sent?count=2`);
      const press = await ann("presses", { text: "A", timeout_ms: 30_000 });
      bot.stopPolling();
      await running;
      expect(press["answer"]).toMatchObject({ message: { body: { text: "picked" } } });
      const sent = await admin(`GET /bots/${demo.botId}/sent?count=3`);
      expect(sent["items"]).toMatchObject([
        { method: "sendMessage", message: { body: { text: "welcome Ann abc" } } },
        { method: "sendMessage", message: { body: { text: "pick" } } },
        { method: "answerOnCallback", message: { body: { text: "picked" } } },
      ]);
      expect(await admin("GET /calls?unknown=true")).toMatchObject({ count: 0 });
    }));

  test("webhook with a secret", () =>
    withMaxbot(async (kit) => {
      const bot = openBot(kit);
      const taken = Promise.withResolvers<string | null | undefined>();
      bot.on("message_created", (context) => taken.resolve(context.message.body.text));
      const options = { domain: "127.0.0.1", path: "/hook", secret: "s3cret-s3cret" };
      const server = createServer(bot.webhookCallback(options));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/hook`;
      try {
        await bot.api.subscribe(url, options.secret, ["message_created"]);
        expect(await bot.api.getSubscriptions()).toMatchObject([{ url, updateTypes: ["message_created"] }]);
        await kit.ann("start");
        await kit.ann("messages", { text: "Привет" });
        expect(await taken.promise).toBe("Привет");
        const page = await kit.admin("GET /callbacks?count=1");
        expect(page["items"]).toMatchObject([{ event: "message_created", delivered: true }]);
        const forged = await kit.admin("POST /callbacks/1/forgeries", {});
        expect(forged).toMatchObject({ status: 404 });
        await expect(bot.api.getUpdates()).rejects.toMatchObject({ status: 405 });
        await bot.api.unsubscribe(url);
        expect(await bot.api.getSubscriptions()).toEqual([]);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    }));

  test("files of every kind, uploaded, sent and read back", () =>
    withMaxbot(async (kit) => {
      const { api } = openBot(kit);
      const image = await api.uploadImage({ source: sample("/9j/4AAQSkZJRg==") });
      const audio = await api.uploadAudio({ source: sample("SUQzBAAAAAAAAA==") });
      const video = await api.uploadVideo({ source: sample("AAAAGGZ0eXBpc29tAAACAGlzb21pc28y") });
      const file = await api.uploadFile({ source: Buffer.from("%PDF-1.4 hello") });
      for (const attachment of [image, audio, video, file]) {
        // The client automatically retries what is not ready yet.
        const message = await api.sendMessageToUser(demo.userId, "look", {
          attachments: [attachment.toJson()],
        });
        const [first] = message.body.attachments ?? [];
        expect(first?.type).toBe(attachment.toJson().type);
        const found = await api.getMessage(message.body.mid);
        expect(found.body.attachments).toEqual(message.body.attachments);
      }
      const refused = await kit.admin("GET /calls?path=/messages&refused=true");
      expect(refused["items"]).toMatchObject(
        Array(3).fill({ error: expect.stringMatching(/^attachment\.not\.ready/) }),
      );
    }));

  test("editing, deleting, reading, and invalid calls", () =>
    withMaxbot(async (kit) => {
      const { api } = openBot(kit);
      const { body } = await api.sendMessageToUser(demo.userId, "*hi*", { format: "markdown" });
      expect(body).toMatchObject({ text: "hi", markup: [{ type: "emphasized", from: 0, length: 2 }] });
      expect(await api.editMessage(body.mid, { text: "changed" })).toEqual({ success: true });
      const { chat_id } = (await api.getMessage(body.mid)).recipient;
      expect((await api.getMessages(chat_id ?? 0)).messages).toMatchObject([{ body: { text: "changed" } }]);
      expect(await api.deleteMessage(body.mid)).toEqual({ success: true });
      await expect(api.getMessage(body.mid)).rejects.toMatchObject({
        status: 404,
        code: "message.not.found",
      });
      await expect(api.sendMessageToUser(999, "x")).rejects.toMatchObject({
        status: 404,
        description: "dialog.not.found",
      });
      await expect(openBot(kit, "wrong").api.getMyInfo()).rejects.toMatchObject({ status: 401 });
      expect(await api.getMyInfo()).toMatchObject({
        user_id: demo.botId,
        username: demo.username,
        is_bot: true,
      });
      expect(await api.getChat(chat_id ?? 0)).toMatchObject({ type: "dialog", participants_count: 2 });
      expect(await api.sendAction(chat_id ?? 0, "typing_on")).toEqual({ success: true });
    }));
});

function sample(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}
