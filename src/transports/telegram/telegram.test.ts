import { describeTransport, TEST_CALLBACK_SECRET } from "../../core/transport/conformance.ts";
import { CONTENT_FIELDS } from "./content.ts";
import telegram from "./index.ts";
import { KEPT } from "./kept.test-kit.ts";
import { SERVICE_FIELDS } from "./service-messages.ts";
import { BOT, sample, sampleNames, TOKEN, TOKEN_SECRET, textMessage } from "./testing.ts";

describeTransport(telegram, {
  credentials: { telegram_token: TOKEN },
  secrets: [TOKEN_SECRET],
  settings: (url) => ({ apiUrl: url }),
  message: textMessage(),
  ref: { chatType: "telegram", chatId: "111", externalId: "15" },
  file: { token: "AgAC" },
  flood: {
    status: 429,
    headers: { "retry-after": "5" },
    body: JSON.stringify({
      ok: false,
      error_code: 429,
      description: "Too Many Requests: retry after 5",
      parameters: { retry_after: 5 },
    }),
  },
  samples: sampleNames().map(sample),
  kept: { names: sampleNames(), ...KEPT },
  mutants: {
    essential: [
      /^(message|edited_message|callback_query|message_reaction|my_chat_member|chat_member)$/,
      /^message_reaction\.(message_id|chat|chat\.id)$/,
      /^(callback_query\.)?(edited_)?message\.(message_id|chat|chat\.id)$/,
      /^message\.migrate_(to|from)_chat_id$/,
      /^message\.(new_chat_title|left_chat_member|new_chat_photo|new_chat_members)\b/,
      /^callback_query\.(id|data|message)$/,
      /^(my_)?chat_member\.(chat|chat\.id)$/,
      /^(my_)?chat_member\.(old|new)_chat_member(\.status|\.is_member|\.user|\.user\.id)?$/,
    ],
    // Without it, an update is of a type that was not requested.
    decisive: [
      // Files inside others are messages of their own.
      /^message\.(paid_media|poll|live_photo|suggested_post_declined)\./,
      // Without content there is no message and no edit.
      new RegExp(`^(edited_)?message\\.(${[...CONTENT_FIELDS, ...SERVICE_FIELDS, "hologram"].join("|")})$`),
      /^(message|edited_message|callback_query|message_reaction|my_chat_member|chat_member)$/,
    ],
    send: {
      message: textMessage(),
      request: /\/sendMessage$/,
      answer: {
        ok: true,
        result: {
          message_id: 15,
          from: BOT,
          chat: { id: 111, type: "private", first_name: "Ann" },
          date: 1790000200,
          text: "hello",
        },
      },
      essential: [/^ok$/],
    },
    verify: {
      answers: [{ request: /\/getMe$/, answer: { ok: true, result: { ...BOT, last_name: "of all" } } }],
      essential: [/^ok$/, /^result$/, /^result\.id$/],
    },
    openFile: {
      answers: [
        {
          request: /\/getFile$/,
          answer: { ok: true, result: { file_id: "AgAC", file_path: "photos/a.jpg", file_size: 3 } },
        },
        { request: /\/file\//, answer: "abc" },
      ],
      essential: [/^ok$/, /^result$/, /^result\.file_path$/],
    },
  },
  unknown: [
    { update_id: 1, business_message: { message_id: 1, chat: { id: 1, type: "private" }, text: "Hello" } },
    { update_id: 2, poll_answer: { poll_id: "1" } },
  ],
  replay: async (update, link) =>
    telegram.connector.receive?.(
      {
        method: "POST",
        path: "",
        query: new URLSearchParams(),
        headers: { "x-telegram-bot-api-secret-token": TEST_CALLBACK_SECRET },
        body: Buffer.from(JSON.stringify(update)),
      },
      link as Parameters<NonNullable<typeof telegram.connector.receive>>[1],
    ),
});
