import Type from "typebox";
import type { TransportDefinition } from "../../core/transport/definition.ts";

/** The interface's limit; WhatsApp itself accepts larger documents. */
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
/** As on the WhatsApp Business Platform. */
const MAX_CAPTION = 1024;

/**
 * A personal WhatsApp account, as an additional linked device. There is no official interface for it; the limits are
 * those of the phone's app. The pacing is far below the rates that led to restrictions, such as three messages per
 * second.
 */
export const definition = {
  id: "whatsapp",
  label: "WhatsApp (personal account)",
  connect: "qr",
  credentials: Type.Object({}),
  settings: {
    wsUrl: {
      env: "WHATSAPP_WS_URL",
      default: "wss://web.whatsapp.com/ws/chat",
      help: "Address of WhatsApp's WebSocket.",
      address: true,
    },
    ca: {
      env: "WHATSAPP_CA",
      default: "",
      help: "File with an additional certificate authority to trust, for emulators on this machine only.",
      emulatorOnly: true,
    },
    rootKey: {
      env: "WHATSAPP_ROOT_KEY",
      default: "",
      help: "Root key of an emulated WhatsApp in hex, for emulators on this machine only.",
      emulatorOnly: true,
    },
  },
  chatTypes: ["whatsapp", "whatsgroup"],
  capabilities: {
    addressBy: ["chatId", "phone"],
    text: { maxLength: 65_536 },
    media: {
      image: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: MAX_CAPTION },
      audio: { maxBytes: MAX_UPLOAD_BYTES },
      video: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: MAX_CAPTION },
      document: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: MAX_CAPTION },
    },
    inboundFiles: true,
    voiceNotes: "described",
    videoPreviews: true,
    keyboard: null,
    templates: false,
    quote: true,
    edit: { windowMs: 15 * 60_000, parts: ["text"] },
    remove: { windowMs: 60 * 3_600_000 },
    receipts: ["delivered", "read"],
    reactions: { send: true },
    marks: ["read", "typing"],
    groupUpdates: ["title", "picture", "members"],
    groups: {
      chatType: "whatsgroup",
      create: true,
      rename: true,
      // WhatsApp's own programs send squares of 640 pixels.
      picture: { mimeTypes: ["image/jpeg"], maxBytes: 5 * 1024 * 1024 },
      participants: ["add", "remove"],
      roles: ["promote", "demote"],
      limits: { name: 100, people: { min: 1, max: 1_000 } },
    },
    history: true,
    login: ["pairingCode", "passkey", "code"],
    resend: { idempotentForMs: null },
  },
  pacing: {
    channel: { perSecond: 0.5, burst: 3 },
    chat: { perSecond: 0.5, burst: 2 },
    jitterMs: 3_000,
    // Fifteen to twenty strangers per day have led to restrictions; a new number has a lower limit.
    firstContact: { perDay: 12, burst: 2, jitterMs: 90_000 },
    phoneChecks: { perDay: 60, burst: 5, jitterMs: 20_000 },
    warmUp: { days: 14, share: 0.25 },
  },
} as const satisfies TransportDefinition;

export type WhatsAppDefinition = typeof definition;
