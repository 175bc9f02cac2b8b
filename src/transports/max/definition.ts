import Type from "typebox";
import type { TransportDefinition } from "../../core/transport/definition.ts";

/** The interface's limit; MAX itself takes more. */
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
/** `edit-timeout` in the configuration that MAX answers a login with. */
const EDIT_WINDOW_MS = 604_800_000;

/**
 * A person's MAX account, over the protocol of the messenger's web client. There is no official interface for it: what
 * moves with the messenger's versions (address, framing, version) is a setting. Public tools keep to some thirty messages
 * an hour; the pace here does, too.
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
      help: "Address of MAX's web socket.",
      address: true,
    },
    codec: {
      env: "MAX_CODEC",
      default: "binary",
      help: "Framing of MAX's web socket: `binary`, or `json` as its web client spoke until 2026.",
    },
    appVersion: {
      env: "MAX_APP_VERSION",
      default: "26.9.8",
      help: "Version of MAX's web client that sessions give as theirs; MAX refuses old ones.",
    },
    logFrames: {
      env: "MAX_LOG_FRAMES",
      default: "",
      help: "`1` keeps the shape of every frame in the channel's log, without its content.",
    },
  },
  chatTypes: ["max", "maxgroup"],
  capabilities: {
    addressBy: ["chatId", "phone"],
    text: { maxLength: 4_000 },
    media: {
      image: { maxBytes: MAX_UPLOAD_BYTES },
      audio: { maxBytes: MAX_UPLOAD_BYTES },
      video: { maxBytes: MAX_UPLOAD_BYTES },
      document: { maxBytes: MAX_UPLOAD_BYTES },
    },
    inboundFiles: true,
    keyboard: null,
    templates: false,
    quote: true,
    edit: { windowMs: EDIT_WINDOW_MS, parts: ["text"] },
    remove: { windowMs: null },
    receipts: ["read"],
    groupNews: ["title", "picture", "members"],
    login: ["password"],
    // How long MAX remembers the `cid` of a message is not known; an hour is long after any reconnect.
    resend: { idempotentForMs: 3_600_000 },
  },
  pacing: {
    channel: { perSecond: 30 / 3_600, burst: 10 },
    chat: { perSecond: 0.2, burst: 3 },
    jitterMs: 5_000,
    firstContact: { perDay: 8, burst: 2, jitterMs: 120_000 },
    warmUp: { days: 14, share: 0.25 },
  },
} as const satisfies TransportDefinition;

export type MaxDefinition = typeof definition;
