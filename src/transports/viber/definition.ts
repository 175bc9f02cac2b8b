import Type from "typebox";
import type { TransportDefinition } from "../../core/transport/definition.ts";

const MEGABYTE = 1024 * 1024;

const token = Type.String({
  title: "Bot token",
  description: "Shown in the Viber Admin Panel, under Edit Info of the bot",
  pattern: "^[A-Za-z0-9_-]{16,256}$",
  sensitive: true,
});
const welcome = Type.String({
  title: "Welcome message",
  description: "Shown to people who open the bot for the first time",
  minLength: 1,
  maxLength: 7000,
});

/**
 * Viber bots. Limits: developers.viber.com, "REST API", "Message types" (7,000 characters; pictures of 3 MB, videos
 * of 26 MB; all other media are sent as files of up to 50 MB).
 */
export const definition = {
  id: "viber",
  label: "Viber",
  connect: "invitation",
  credentials: Type.Object({ viber_token: token, welcome: Type.Optional(welcome) }),
  /**
   * A channel with its own bot has `viber_token`; a channel that shares the installation's bot has `owner`, the
   * person who linked it.
   */
  storedCredentials: Type.Object({
    viber_token: Type.Optional(token),
    owner: Type.Optional(Type.String()),
    /** Shown as the sender of each message. */
    name: Type.Optional(Type.String()),
    welcome: Type.Optional(welcome),
  }),
  settings: {
    apiUrl: {
      env: "VIBER_API_URL",
      default: "https://chatapi.viber.com/pa",
      help: "Address of the Viber bot API.",
      address: true,
    },
    botToken: {
      env: "VIBER_BOT_TOKEN",
      default: "",
      help: "Token of the bot that is shared by channels without their own token.",
      sensitive: true,
    },
  },
  calledBack: "channel",
  chatTypes: ["viber"],
  capabilities: {
    addressBy: ["chatId"],
    text: { maxLength: 7000 },
    media: {
      image: { maxBytes: 50 * MEGABYTE },
      audio: { maxBytes: 50 * MEGABYTE },
      video: { maxBytes: 50 * MEGABYTE },
      document: { maxBytes: 50 * MEGABYTE },
    },
    inboundFiles: true,
    keyboard: null,
    templates: false,
    quote: false,
    edit: null,
    remove: null,
    receipts: ["delivered", "read"],
    login: [],
    resend: "unsafe",
  },
  /** Viber documents no rate for `send_message`; for `broadcast_message` it is 500 in 10 seconds. */
  pacing: {
    channel: { perSecond: 20, burst: 20 },
    chat: { perSecond: 1, burst: 5 },
    jitterMs: 0,
  },
} as const satisfies TransportDefinition;

export type ViberDefinition = typeof definition;
