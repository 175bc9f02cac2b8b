import { describeTransport } from "../../core/transport/conformance.ts";
import vk from "./index.ts";
import { KEPT } from "./kept.test-kit.ts";
import { callOf, KEY, sample, sampleNames, settingsFor, textMessage } from "./testing.ts";

describeTransport(vk, {
  credentials: { access_token: KEY },
  secrets: ["the-apps-secret"],
  settings: (url) => ({ ...settingsFor(url) }),
  message: textMessage(),
  ref: { chatType: "vk", chatId: "111", externalId: "17" },
  group: { chatId: "2000000001", person: { id: "111" } },
  file: (url) => ({ token: `${url}/1.ogg` }),
  flood: { status: 429, body: "Too Many Requests" },
  samples: sampleNames().map(sample),
  kept: { names: sampleNames(), ...KEPT },
  mutants: {
    essential: [
      /^(type|object|secret)$/,
      /^object\.(message|peer_id|conversation_message_id|event_id|cmid|reacted_id)$/,
      /^object\.message\.(peer_id|conversation_message_id)$/,
    ],
    decisive: [
      /^type$/,
      // Each file is a message of its own.
      /^object\.message(\.fwd_messages\[\])*\.(attachments|fwd_messages)(\[\])?$/,
      /^object\.payload\b/,
      // Whether a person wrote the message on VK's page.
      // Without its number a reaction is removed.
      /^object\.reaction_id$/,
      /^object\.(admin_author_id|random_id|out|from_id)$/,
    ],
    send: {
      message: textMessage(),
      request: /\/method\/messages\.send$/,
      answer: { response: [{ peer_id: 111, message_id: 131, conversation_message_id: 31 }] },
      essential: [/^response$/],
    },
  },
  unknown: [{ type: "like_add", group_id: 1, object: { liker_id: 1 } }],
  replay: async (event, link) =>
    vk.connector.receive?.(callOf(event), link as Parameters<NonNullable<typeof vk.connector.receive>>[1]),
});
