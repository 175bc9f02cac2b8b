import Type from "typebox";
import type { TransportDefinition } from "../../core/transport/definition.ts";

/** The interface's limit; MAX itself accepts larger files. */
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
/** `edit-timeout` in the configuration of MAX's login response. */
const EDIT_WINDOW_MS = 604_800_000;

/**
 * A personal MAX account, through the protocol of the messenger's web client. There is no official interface; what
 * changes with the messenger's versions (URL, framing, version) is a setting. Public tools stay at about thirty
 * messages per hour, and so does the pacing here.
 */
export const definition = {
  id: "max",
  label: "MAX (personal account)",
  connect: "qr",
  credentials: Type.Object({}),
  settings: {
    wsUrl: {
      env: "MAX_WS_URL",
      default: "wss://api.oneme.ru/websocket",
      help: "Address of MAX's WebSocket.",
      address: true,
    },
    codec: {
      env: "MAX_CODEC",
      default: "binary",
      help: "Framing of MAX's WebSocket: `binary`, or `json` as used by its web client until 2026.",
    },
    appVersion: {
      env: "MAX_APP_VERSION",
      default: "26.9.8",
      help: "Version of MAX's web client that sessions report; MAX rejects old versions.",
    },
    logFrames: {
      env: "MAX_LOG_FRAMES",
      default: "",
      help: "`1` logs the shape of every frame to the channel's log, without its content.",
    },
  },
  chatTypes: ["max", "maxgroup"],
  capabilities: {
    addressBy: ["chatId", "phone"],
    text: { maxLength: 4_000 },
    media: {
      image: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: 4_000 },
      audio: { maxBytes: MAX_UPLOAD_BYTES },
      video: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: 4_000 },
      document: { maxBytes: MAX_UPLOAD_BYTES, maxCaptionLength: 4_000 },
    },
    inboundFiles: true,
    voiceNotes: "plain",
    keyboard: null,
    templates: false,
    quote: true,
    edit: { windowMs: EDIT_WINDOW_MS, parts: ["text"] },
    remove: { windowMs: null },
    receipts: ["read"],
    reactions: { send: true },
    marks: ["read", "typing"],
    groupUpdates: ["title", "picture", "members"],
    groups: {
      chatType: "maxgroup",
      create: true,
      rename: true,
      picture: { mimeTypes: ["image/jpeg", "image/png"], maxBytes: 10 * 1024 * 1024 },
      participants: ["add", "remove"],
      roles: ["promote", "demote"],
      // MAX publishes no limits for accounts; its bots' chats have titles of up to 200 characters.
      limits: { name: 200, people: { min: 1, max: 50 } },
    },
    history: true,
    login: ["password"],
    // It is not known for how long MAX deduplicates by `cid`; an hour is long enough for any reconnect.
    resend: { idempotentForMs: 3_600_000 },
  },
  pacing: {
    channel: { perSecond: 30 / 3_600, burst: 10 },
    chat: { perSecond: 0.2, burst: 3 },
    jitterMs: 5_000,
    firstContact: { perDay: 8, burst: 2, jitterMs: 120_000 },
    phoneChecks: { perDay: 20, burst: 3, jitterMs: 60_000 },
    warmUp: { days: 14, share: 0.25 },
  },
} as const satisfies TransportDefinition;

export type MaxDefinition = typeof definition;
