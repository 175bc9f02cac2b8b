import { Bot as GramioBot } from "gramio";
import { Api, InputFile, Bot as NodeBot } from "node-telegram-bot-api";
import { InlineKeyboard, Telegram } from "puregram";
import { describe, expect, test } from "vitest";
import { type Kit, withSandbox } from "../../test-kit.ts";

/** A shop's bot built with one library: starts to poll, and returns a function that stops it. */
type StartShop = (kit: Kit) => Promise<() => Promise<unknown>>;

const question = "Which one?";
const nodeTelegramBotApi: StartShop = async ({ apiRoot, token }) => {
  const bot = new NodeBot(token, { apiRoot });
  bot.command("start", (context) =>
    context.reply(question, {
      reply_markup: { inline_keyboard: [[{ text: "A", callback_data: "a" }]] },
    }),
  );
  bot.on("callback_query", async (context) => {
    await context.answerCallbackQuery({ text: "noted" });
    await context.reply(`You chose ${context.callbackQuery?.data}`);
  });
  const ended = bot.startPolling();
  return () => {
    bot.stop();
    return ended;
  };
};

const gramio: StartShop = async ({ apiRoot, token }) => {
  const bot = new GramioBot(token, { api: { baseURL: `${apiRoot}/bot` } });
  bot.command("start", (context) =>
    context.send(question, { reply_markup: { inline_keyboard: [[{ text: "A", callback_data: "a" }]] } }),
  );
  bot.on("callback_query", async (context) => {
    await context.answerCallbackQuery({ text: "noted" });
    await context.send(`You chose ${context.data}`);
  });
  await bot.start();
  return () => bot.stop();
};

const puregram: StartShop = async ({ apiRoot, token }) => {
  const telegram = Telegram.fromToken(token, { apiBaseUrl: `${apiRoot}/bot` });
  telegram.updates.on("message", (context) =>
    context.send(question, {
      reply_markup: InlineKeyboard.keyboard([InlineKeyboard.textButton({ text: "A", payload: "a" })]),
    }),
  );
  telegram.updates.on("callback_query", async (context) => {
    await context.answerCallbackQuery({ text: "noted" });
    await context.message?.send(`You chose ${context.data}`);
  });
  await telegram.updates.startPolling();
  return async () => telegram.updates.stopPolling();
};

describe("a conversation over long polling", () => {
  test.each([
    ["node-telegram-bot-api", nodeTelegramBotApi],
    ["gramio", gramio],
    ["puregram", puregram],
  ])("%s", (_name, startShop) =>
    withSandbox(async (kit) => {
      const { admin, ann } = kit;
      await admin("POST /settings", { wait_scale: 0.01 });
      const stop = await startShop(kit);
      try {
        await ann("start");
        const [asked] = (await admin("GET /bots/1000001/sent?count=1"))["items"] as unknown as [
          { message: { text: string } },
        ];
        expect(asked.message.text).toBe(question);
        const press = await ann("presses", { text: "A", timeout_ms: 30_000 });
        expect(press["answer"]).toMatchObject({ text: "noted" });
        const sent = await admin("GET /bots/1000001/sent?count=2");
        expect(sent["items"]).toMatchObject([
          {},
          { message: { text: expect.stringMatching(/^You chose "?a"?$/) } },
        ]);
      } finally {
        await stop();
      }
    }),
  );
});

describe("node-telegram-bot-api: calls that emulators often lack", () => {
  test("profile, group and pins, an upload, and an error", () =>
    withSandbox(async ({ admin, apiRoot, token }) => {
      const api = new Api(token, { apiRoot });
      const group = await admin("POST /groups", { title: "Team", user_ids: [111] });
      const chat_id = Number(group["id"]);
      await admin(`POST /groups/${chat_id}/bots`, { bot_id: 1_000_001 });
      await admin(`POST /groups/${chat_id}/promotions`, { bot_id: 1_000_001 });
      expect(await api.getChatMemberCount({ chat_id })).toBe(2);
      expect(await api.getChatAdministrators({ chat_id })).toMatchObject([{ status: "administrator" }]);
      expect(await api.setMyDescription({ description: "Shop" })).toBe(true);
      const document = new InputFile(new Blob(["price list"]), { filename: "prices.txt" });
      const sent = await api.sendDocument({ chat_id, document });
      expect(sent).toMatchObject({ document: { file_name: "prices.txt" } });
      const at = { chat_id, message_id: sent.message_id };
      expect(await api.setMessageReaction({ ...at, reaction: [{ type: "emoji", emoji: "👍" }] })).toBe(true);
      expect(await api.pinChatMessage(at)).toBe(true);
      await expect(api.sendMessage({ chat_id: 5, text: "a" })).rejects.toThrow(/chat not found/);
    }));
});
