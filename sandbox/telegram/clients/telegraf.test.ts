import { Telegraf } from "telegraf";
import { describe, expect, test } from "vitest";
import { withSandbox } from "../../test-kit.ts";

describe("telegraf works unchanged", () => {
  test("polling, replies, photos and stopping", () =>
    withSandbox(async ({ admin, ann, apiRoot, token }) => {
      await admin("POST /settings", { wait_scale: 0.01 });
      // The library resolves URLs against the root, which therefore needs a trailing slash.
      const bot = new Telegraf(token, { telegram: { apiRoot: `${apiRoot}/` } });
      bot.start((context) => context.replyWithHTML("<b>hello</b>"));
      bot.on("photo", (context) => context.reply(`photo of ${context.message.photo.length} sizes`));
      const launched = bot.launch();
      await admin("GET /bots/1000001/calls?method=getUpdates&count=1");
      await ann("start");
      await ann("messages", { kind: "photo" });
      const sent = await admin("GET /bots/1000001/sent?count=2");
      bot.stop();
      await launched;
      expect(sent["items"]).toMatchObject([
        { message: { text: "hello", entities: [{ type: "bold", offset: 0, length: 5 }] } },
        { message: { text: "photo of 2 sizes" } },
      ]);
    }));
});
