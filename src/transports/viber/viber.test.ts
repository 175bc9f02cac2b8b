import { describeTransport } from "../../core/transport/conformance.ts";
import viber from "./index.ts";
import { KEPT } from "./kept.test-kit.ts";
import {
  JOHN,
  MESSAGE_TOKEN,
  SHARED_TOKEN,
  sample,
  sampleNames,
  signedCall,
  TOKEN,
  textMessage,
  written,
} from "./testing.ts";

describeTransport(viber, {
  credentials: { viber_token: TOKEN },
  secrets: [SHARED_TOKEN],
  settings: (url) => ({ apiUrl: url, botToken: SHARED_TOKEN }),
  message: textMessage(),
  ref: { chatType: "viber", chatId: JOHN, externalId: MESSAGE_TOKEN },
  file: (url) => ({ token: `${url}/a.jpg` }),
  flood: { status: 429, body: "Too Many Requests" },
  samples: sampleNames().map(sample),
  kept: { names: sampleNames(), ...KEPT },
  mutants: {
    essential: [/^(event|message_token|user_id)$/, /^(sender|message|user)$/, /^(sender|user)\.id$/],
    // Without a context, the person has only opened the bot.
    decisive: [/^event$/, /^context$/],
    send: {
      message: textMessage(),
      request: /\/send_message$/,
      answer: { status: 0, status_message: "ok", message_token: "5303153994370539487", billing_status: 1 },
      essential: [/^status$/],
    },
    verify: {
      answers: [
        {
          request: /\/get_account_info$/,
          answer: {
            status: 0,
            status_message: "ok",
            id: "pa:75346594275468546724",
            name: "account name",
            uri: "accountUri",
            icon: "http://icon.example",
            webhook: "https://my.site.example",
            event_types: ["delivered", "seen"],
            subscribers_count: 35,
          },
        },
      ],
      essential: [/^(status|id)$/],
    },
  },
  unknown: [{ event: "channel_joined", timestamp: 1_790_000_000_000, message_token: "1" }],
  replay: async (call, link) =>
    viber.connector.receive?.(
      signedCall(written(call)),
      link as Parameters<NonNullable<typeof viber.connector.receive>>[1],
    ),
});
