import Type from "typebox";
import type { TransportDefinition } from "../../src/core/transport/definition.ts";

/** A messenger that can do little, for tests of what only reads definitions. */
export const postbox = {
  id: "postbox",
  label: "Post box",
  connect: "credentials",
  credentials: Type.Object({
    token: Type.String({ sensitive: true }),
    spare: Type.Optional(Type.String({ sensitive: true })),
    page: Type.String({ sensitive: false }),
  }),
  settings: {},
  chatTypes: ["vk"],
  capabilities: {
    addressBy: ["chatId"],
    text: { maxLength: 10 },
    media: {},
    inboundFiles: false,
    keyboard: null,
    templates: false,
    quote: false,
    edit: null,
    remove: null,
    receipts: [],
    login: [],
    resend: "unsafe",
  },
  pacing: { channel: { perSecond: 1, burst: 1 }, chat: { perSecond: 1, burst: 1 }, jitterMs: 0 },
} as const satisfies TransportDefinition;
