import { describeTransport, TEST_CALLBACK_SECRET } from "../../core/transport/conformance.ts";
import avito from "./index.ts";
import { KEPT } from "./kept.test-kit.ts";
import { CHAT, CREDENTIALS, SECRET, sample, sampleNames, settingsOf, textMessage, USER } from "./testing.ts";

describeTransport(avito, {
  credentials: {
    ...(CREDENTIALS as Readonly<Record<string, string>>),
    code: "a-one-time-code-of-the-tests-0000",
    client_id: "a-client-of-its-own",
    client_secret: SECRET,
  },
  settings: settingsOf,
  message: textMessage(),
  ref: { chatType: "avito", chatId: CHAT, externalId: "bdcc5bac2d00345f1ccfb3c7a2a60001" },
  file: { token: "voice:ea3d1c1e4bd94f8e9ff1a1bc24cf1a55" },
  flood: { status: 429, body: JSON.stringify({ error: { code: 429, message: "Too many requests" } }) },
  samples: sampleNames().map(sample),
  kept: { names: sampleNames(), ...KEPT },
  mutants: {
    essential: [/^payload$/, /^payload\.value$/, /^payload\.value\.(id|chat_id)$/],
    // Events of other types are not messages. Events of another account, and the account's own messages, are skipped
    // here.
    decisive: [/^payload\.type$/, /^payload\.value\.(user_id|author_id)$/],
    send: {
      message: textMessage(),
      request: /\/messages$/,
      answer: {
        id: "bdcc5bac2d00345f1ccfb3c7a2a60020",
        author_id: Number(USER),
        type: "text",
        direction: "out",
        created: 1690000000,
        content: { text: "hello" },
      },
      essential: [],
    },
  },
  unknown: [
    { payload: { type: "chat_closed", value: { chat_id: CHAT } } },
    {
      payload: {
        type: "message",
        value: { id: "1", chat_id: CHAT, user_id: 999, text: "of another account" },
      },
    },
  ],
  replay: async (call, link) => {
    // The cached name makes a request for it unnecessary.
    for (const chatId of [CHAT, "u2u-KxKDG8bPV2dvdpNTPAFUTg"])
      await link.state.set(`chat:${chatId}`, JSON.stringify({ name: "Ann", at: Date.now() }));
    return avito.connector.receive?.(
      {
        method: "POST",
        path: `/${TEST_CALLBACK_SECRET}`,
        query: new URLSearchParams(),
        headers: {},
        body: Buffer.from(JSON.stringify(call)),
      },
      link as Parameters<NonNullable<typeof avito.connector.receive>>[1],
    );
  },
});
