import { createServer } from "node:http";
import { Bot, InputFile, webhookCallback } from "grammy";
import { describe, expect, test } from "vitest";
import { withSandbox } from "../../test-kit.ts";

describe("grammY works unchanged", () => {
  test("polling: commands, texts, keyboards and presses", () =>
    withSandbox(async ({ admin, ann, apiRoot, token }) => {
      await admin("POST /settings", { wait_scale: 0.01 });
      const bot = new Bot(token, { client: { apiRoot } });
      bot.command("start", (context) =>
        context.reply(`welcome ${context.from?.first_name} ${context.match}`),
      );
      bot.on("message:text", (context) =>
        context.reply("pick", { reply_markup: { inline_keyboard: [[{ text: "A", callback_data: "a" }]] } }),
      );
      bot.callbackQuery("a", async (context) => {
        await context.answerCallbackQuery({ text: "done" });
        await context.editMessageText("picked");
      });
      const stopped = bot.start({ drop_pending_updates: true });
      await admin("GET /bots/1000001/calls?method=getUpdates&count=1");
      await ann("start", { payload: "abc" });
      await ann("messages", { text: "hello" });
      await admin("GET /bots/1000001/sent?count=2");
      const press = await ann("presses", { data: "a", timeout_ms: 30_000 });
      const sent = await admin("GET /bots/1000001/sent?count=3");
      await bot.stop();
      await stopped;
      expect(press["answer"]).toMatchObject({ text: "done" });
      expect(sent["items"]).toMatchObject([
        { method: "sendMessage", message: { text: "welcome Ann abc" } },
        { method: "sendMessage", message: { text: "pick" } },
        { method: "editMessageText", message: { text: "picked" } },
      ]);
    }));

  test("webhook with a secret, and a file in both directions", () =>
    withSandbox(async ({ admin, ann, apiRoot, token }) => {
      const bot = new Bot(token, { client: { apiRoot } });
      bot.on("message:document", async (context) => {
        const file = await context.getFile();
        const response = await fetch(`${apiRoot}/file/bot${token}/${file.file_path}`);
        await context.replyWithDocument(
          new InputFile(new Uint8Array(await response.arrayBuffer()), "back.txt"),
        );
      });
      const server = createServer(webhookCallback(bot, "http", { secretToken: "s3cret" }));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        const address = server.address();
        const port = typeof address === "object" ? address?.port : 0;
        await bot.api.setWebhook(`http://127.0.0.1:${port}/`, { secret_token: "s3cret" });
        const base64 = Buffer.from("round trip").toString("base64");
        await ann("messages", {
          kind: "document",
          file: { base64, name: "there.txt", mime_type: "text/plain" },
        });
        const sent = await admin("GET /bots/1000001/sent?count=1");
        expect(sent["items"]).toMatchObject([
          { method: "sendDocument", message: { document: { file_name: "back.txt", file_size: 10 } } },
        ]);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    }));
});
