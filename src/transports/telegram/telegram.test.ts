import { describeTransport, TEST_CALLBACK_SECRET } from "../../core/transport/conformance.ts";
import telegram from "./index.ts";
import { sample, sampleNames, TOKEN, TOKEN_SECRET, textMessage } from "./testing.ts";

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
