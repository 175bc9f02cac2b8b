import { describeTransport, TEST_CALLBACK_SECRET } from "../../core/transport/conformance.ts";
import maxbot from "./index.ts";
import { KEPT } from "./kept.test-kit.ts";
import { BOT_ID, changed, DIALOG, GROUP, sample, sampleNames, TOKEN, textMessage } from "./testing.ts";

describeTransport(maxbot, {
  credentials: { access_token: TOKEN },
  settings: (url) => ({ apiUrl: url, caFile: "" }),
  message: textMessage(),
  ref: { chatType: "max", chatId: DIALOG, externalId: "mid.000000001a9dbe2c019d47d58f2b3d01" },
  file: { token: "video:tok-v" },
  flood: { status: 429, body: JSON.stringify({ code: "too.many.requests", message: "Too many requests" }) },
  samples: sampleNames().map(sample),
  kept: { names: sampleNames(), ...KEPT },
  mutants: {
    essential: [
      /^update_type$/,
      /^message$/,
      /^message\.(body|body\.mid|recipient|recipient\.chat_id)$/,
      // Of a message without a body.
      /^message\.link(\.message(\.mid)?)?$/,
      /^(message_id|chat_id|title)$/,
      /^callback(\.callback_id)?$/,
      /^user(\.user_id)?$/,
    ],
    // A channel is ignored, an album becomes one message per file, and types that were not subscribed to are ignored.
    decisive: [
      /^update_type$/,
      /^message\.recipient\.chat_type$/,
      /^message\.body\.attachments(\[\])?$/,
      /^message(\.body)?(\.link|\.link\.message|\.link\.message\.link)*(\.attachments(\[\])?)?$/,
      /^is_channel$/,
    ],
    send: {
      message: textMessage(),
      request: /\/messages\?chat_id=/,
      answer: {
        message: {
          sender: { user_id: Number(BOT_ID), name: "Shop bot", is_bot: true },
          recipient: { chat_id: Number(DIALOG), chat_type: "dialog", user_id: 123456789 },
          timestamp: 1790000000000,
          body: { mid: "mid.000000001a9dbe2c019d47d58f2b3d20", seq: 1, text: "hello" },
        },
      },
      essential: [],
    },
  },
  unknown: [
    { update_type: "message_pinned", timestamp: 1_790_000_000_000, chat_id: 1 },
    changed("text", { body: { mid: "mid.1", seq: 1, text: null, attachments: null } }),
  ],
  replay: async (update, link) => {
    await link.state.set("self", JSON.stringify({ id: BOT_ID, name: "Shop bot" }));
    await link.state.set(`title:${GROUP}`, "Team");
    return maxbot.connector.receive?.(
      {
        method: "POST",
        path: "",
        query: new URLSearchParams(),
        headers: { "x-max-bot-api-secret": TEST_CALLBACK_SECRET },
        body: Buffer.from(JSON.stringify(update)),
      },
      link as Parameters<NonNullable<typeof maxbot.connector.receive>>[1],
    );
  },
});
