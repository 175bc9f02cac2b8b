import Type from "typebox";
import type { TransportDefinition } from "../../core/transport/definition.ts";

/** The interface's limit; Telegram itself accepts 2 GB. */
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
/** core.telegram.org/api/config, `caption_length_limit_default`. */
const MAX_CAPTION = 1024;

/**
 * A personal Telegram account over MTProto. The limits are those of regular accounts (core.telegram.org/api/config:
 * `message_length_max`, `edit_time_limit`, `revoke_pm_time_limit`).
 *
 * Pacing: Telegram publishes no limits for accounts. Its bots may send one message per second to a chat and 30 per
 * second in total (bots FAQ), and accounts are monitored more strictly: users of unofficial clients report limits
 * (PEER_FLOOD) after a few dozen messages to strangers per day, new accounts after a handful (Telethon issues 824 and
 * 4468). The defaults are far below; operators can raise them per channel.
 */
export const definition = {
  id: "tgapi",
  label: "Telegram (personal account)",
  mtproxy: true,
  connect: "qr",
  credentials: Type.Object({}),
  settings: {
    apiId: {
      env: "TGAPI_API_ID",
      default: "",
      help: "api_id of this installation, from my.telegram.org. Required for personal Telegram accounts.",
    },
    apiHash: {
      env: "TGAPI_API_HASH",
      default: "",
      help: "api_hash that belongs to TGAPI_API_ID.",
      sensitive: true,
    },
    dataCentre: {
      env: "TGAPI_DATA_CENTRE",
      default: "tcp://149.154.167.50:443/?dc=2",
      help: "Address of the data centre that a new account connects to first, with its number (dc).",
      address: true,
    },
    serverKey: {
      env: "TGAPI_SERVER_KEY",
      default: "",
      help: "File with the RSA key (PEM, PKCS#1) of an emulated Telegram, for emulators on this machine only.",
      emulatorOnly: true,
    },
  },
  chatTypes: ["telegram", "telegroup"],
  capabilities: {
    addressBy: ["chatId", "username", "phone"],
    text: { maxLength: 4096 },
    media: {
      image: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: MAX_CAPTION },
      audio: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: MAX_CAPTION },
      video: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: MAX_CAPTION },
      document: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: MAX_CAPTION },
    },
    inboundFiles: true,
    voiceNotes: "described",
    videoPreviews: true,
    keyboard: null,
    templates: false,
    quote: true,
    edit: { windowMs: 48 * 3_600_000, parts: ["text", "attachment"] },
    remove: { windowMs: null },
    receipts: ["read"],
    reactions: { send: true },
    marks: ["read", "typing"],
    groupUpdates: ["title", "picture", "members"],
    groups: {
      chatType: "telegroup",
      create: true,
      rename: true,
      picture: { mimeTypes: ["image/jpeg", "image/png"], maxBytes: 10 * 1024 * 1024 },
      participants: ["add", "remove"],
      roles: ["promote", "demote"],
      // core.telegram.org/method/messages.createChat; a small group has up to 200 members.
      limits: { name: 128, people: { min: 1, max: 50 } },
    },
    history: true,
    login: ["phone", "code", "password"],
    // Telegram does not document for how long it remembers a `random_id`, so a retry also searches for the message
    // itself.
    resend: { idempotentForMs: 24 * 3_600_000 },
  },
  pacing: {
    channel: { perSecond: 0.5, burst: 3 },
    chat: { perSecond: 0.5, burst: 2 },
    jitterMs: 2_000,
    firstContact: { perDay: 10, burst: 2, jitterMs: 90_000 },
    phoneChecks: { perDay: 20, burst: 3, jitterMs: 60_000 },
    warmUp: { days: 14, share: 0.3 },
  },
} as const satisfies TransportDefinition;

export type TgapiDefinition = typeof definition;
