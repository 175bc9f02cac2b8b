import { createServer } from "node:http";
import { Bot, Message } from "viber-bot";
import { describe, expect, test } from "vitest";
import { pngFile } from "../test-kit.ts";
import { demo } from "./demo.ts";
import { annId, type ViberKit, withViber } from "./test-kit.ts";

interface Served {
  readonly kit: ViberKit;
  readonly bot: Bot;
  /** The address of the client's middleware, which also serves a picture. */
  readonly url: string;
}

/** The official client, unchanged except for its address; the signature is sent where it looks for it. */
function withBot(run: (served: Served) => Promise<void>): Promise<void> {
  return withViber(async (kit) => {
    const bot = new Bot({ authToken: demo.token, name: "Shop", avatar: "https://example.com/a.jpg" });
    bot._client._url = kit.base;
    const middleware = bot.middleware();
    const server = createServer(async (request, response) => {
      if (request.url === "/a.png") response.end(Buffer.from(await pngFile(10, 10).arrayBuffer()));
      else middleware(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      await kit.admin("POST /settings", { sig_parameter: true });
      const address = server.address();
      await run({ kit, bot, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/` });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
}

describe("viber-bot works unchanged", () => {
  test("webhook, welcome message, texts, a keyboard, receipts, unsubscribing", () =>
    withBot(async ({ kit: { admin, ann }, bot, url }) => {
      const said: string[] = [];
      const delivered = Promise.withResolvers<string>();
      const left = Promise.withResolvers<string>();
      bot.onConversationStarted((user, isSubscribed, context, finish) => {
        said.push(`${user.name} ${isSubscribed} ${context}`);
        finish(new Message.Text("welcome"));
      });
      bot.onTextMessage(/.*/, (message, response) => {
        said.push(String(message.text));
        const buttons = [{ ActionType: "reply", ActionBody: "pressed", Text: "<b>Yes</b>" }];
        if (message.text === "hello")
          void response.send(new Message.Text("pick", { Type: "keyboard", Buttons: buttons }), { step: 1 });
        else said.push(JSON.stringify(message.trackingData));
      });
      bot.on("delivered", ({ message_token }) => delivered.resolve(message_token));
      bot.on("unsubscribed", (userId) => left.resolve(userId));
      expect((await bot.setWebhook(url)).event_types).toContain("delivered");
      await ann("scans", { url: `viber://pa?chatURI=${demo.uri}&context=code-1` });
      const welcome = await admin(`GET /bots/${demo.botId}/sent?method=welcome&count=1`);
      expect(welcome["items"]).toMatchObject([{ message: { type: "text", text: "welcome" } }]);
      await ann("messages", { text: "hello" });
      const { items } = await admin(`GET /bots/${demo.botId}/sent?method=send_message&count=1`);
      expect(items).toMatchObject([{ viber_id: annId, message: { type: "text", text: "pick" } }]);
      // The client keeps every digit of a number of 64 bits.
      const tokens = await admin(`GET /bots/${demo.botId}/sent`);
      const known = (tokens["items"] as unknown as { message_token: string }[]).map(
        (item) => item.message_token,
      );
      expect(known).toContain(await delivered.promise);
      expect(await ann("presses", { text: "Yes" })).toMatchObject({ kind: "reply" });
      await ann("unsubscriptions");
      expect(await left.promise).toBe(annId);
      expect(said).toEqual(["Ann false code-1", "hello", "pressed", '{"step":1}']);
      expect(await admin("GET /calls?refused=true")).toMatchObject({ count: 0 });
    }));

  test("every kind of message, and the account's details", () =>
    withBot(async ({ kit: { admin, ann }, bot, url }) => {
      await bot.setWebhook(url);
      await ann("messages", { text: "hi" });
      const to = { id: annId };
      const picture = `${url}a.png`;
      const cards = {
        Type: "rich_media",
        ButtonsGroupColumns: 6,
        ButtonsGroupRows: 7,
        Buttons: [{ ActionBody: "x" }],
      };
      const messages = [
        new Message.Text("text"),
        new Message.Picture(picture, "caption"),
        new Message.Video(`${url}v.mp4`, 1000),
        new Message.File(`${url}f.pdf`, 1000, "f.pdf"),
        new Message.Contact("Bob", "+4412345"),
        new Message.Location(50.76, 6.1),
        new Message.Url("https://example.com"),
        new Message.Sticker(46105),
        new Message.RichMedia(cards),
        new Message.Keyboard({ Type: "keyboard", Buttons: [{ ActionBody: "x" }] }),
      ];
      for (const message of messages) expect(await bot.sendMessage(to, message)).toHaveLength(1);
      const sent = await admin(`GET /bots/${demo.botId}/sent?count=10`);
      const kinds = (sent["items"] as unknown as { message: { type?: string } }[]).map(
        ({ message }) => message.type,
      );
      expect(kinds).toEqual([
        ..."text picture video file contact location url sticker rich_media".split(" "),
        undefined,
      ]);
      expect(await bot.getBotProfile()).toMatchObject({ id: demo.botId, subscribers_count: 1 });
      expect(await bot.getUserDetails(to)).toMatchObject({ id: annId, name: "Ann" });
      expect(await bot.getOnlineStatus([annId])).toMatchObject({ users: [{ online_status: 0 }] });
      await expect(bot.sendMessage({ id: "+441234567890" }, new Message.Text("x"))).rejects.toMatchObject({
        status: 999,
      });
      await ann("unsubscriptions");
      await expect(bot.sendMessage(to, new Message.Text("x"))).rejects.toMatchObject({ status: 6 });
    }));
});
