import Type from "typebox";
import type { TransportDefinition } from "../../core/transport/definition.ts";

/** The Bot API limits uploads to 50 MB ("Sending files"). */
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
/** Bot API, `caption` of `sendPhoto` and the other methods for files. */
const MAX_CAPTION = 1024;

/**
 * Telegram bots. Limits: Bot API, methods `sendMessage`, `sendPhoto` … `deleteMessage`. Images have the limit of
 * documents, because an image that `sendPhoto` rejects (over 10 MB) is sent as a document.
 */
export const definition = {
  id: "telegram",
  label: "Telegram bot",
  connect: "credentials",
  credentials: Type.Object({
    telegram_token: Type.String({
      title: "Bot token",
      description: "The token that BotFather shows after /newbot, for example 123456789:AAF…",
      pattern: "^[0-9]{1,16}:[A-Za-z0-9_-]{8,128}$",
      sensitive: true,
    }),
  }),
  settings: {
    apiUrl: {
      env: "TELEGRAM_API_URL",
      default: "https://api.telegram.org",
      help: "Address of the Bot API server.",
      address: true,
    },
  },
  chatTypes: ["telegram", "telegroup"],
  capabilities: {
    addressBy: ["chatId"],
    text: { maxLength: 4096 },
    media: {
      image: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: MAX_CAPTION },
      audio: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: MAX_CAPTION },
      video: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: MAX_CAPTION },
      document: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: MAX_CAPTION },
    },
    inboundFiles: true,
    voiceNotes: "plain",
    keyboard: "markup",
    templates: false,
    quote: true,
    // Bot API: only messages without `reply_markup` or with an inline keyboard can be edited.
    edit: { windowMs: null, parts: ["text", "attachment"], refusesKeyboardRemovals: true },
    remove: { windowMs: 48 * 3_600_000 },
    receipts: [],
    reactions: { send: true },
    // Bots can mark messages as read only in business connections (Bot API, readBusinessMessage).
    marks: ["typing"],
    groupUpdates: ["title", "picture", "members"],
    login: [],
    resend: "unsafe",
  },
  /** Telegram's bots FAQ: 30 messages per second per bot, one per second per chat, 20 per minute per group. */
  pacing: {
    channel: { perSecond: 30, burst: 30 },
    chat: { perSecond: 1, burst: 3 },
    // A full bucket plus one minute of refill makes 20.
    chatOfType: { telegroup: { perSecond: 15 / 60, burst: 5 } },
    jitterMs: 0,
  },
} as const satisfies TransportDefinition;

export type TelegramDefinition = typeof definition;
