import Type from "typebox";
import type { TransportDefinition } from "../../core/transport/definition.ts";

const MEGABYTE = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;

/**
 * Bots of the MAX messenger. Limits: dev.max.ru, "POST /messages" and "POST /uploads" (files of 4 GB, videos and
 * audio of 250 MB, pictures of 50 MB).
 */
export const definition = {
  id: "maxbot",
  label: "MAX bot",
  connect: "credentials",
  credentials: Type.Object({
    access_token: Type.String({
      title: "Bot token",
      description: "Shown at business.max.ru under Chatbots, Integration",
      pattern: "^[A-Za-z0-9_.:-]{16,256}$",
      sensitive: true,
    }),
  }),
  settings: {
    apiUrl: {
      env: "MAXBOT_API_URL",
      default: "https://platform-api2.max.ru",
      help: "Address of the MAX bot API.",
      address: true,
    },
    caFile: {
      env: "MAXBOT_CA_FILE",
      default: "",
      help: "PEM file with the certificate authority of the MAX bot API. Systems outside Russia do not trust it by default.",
      trust: true,
    },
  },
  chatTypes: ["max", "maxgroup"],
  capabilities: {
    addressBy: ["chatId"],
    text: { maxLength: 4000 },
    media: {
      image: { maxBytes: 50 * MEGABYTE, maxCaptionLength: 4000 },
      audio: { maxBytes: 250 * MEGABYTE, maxCaptionLength: 4000 },
      video: { maxBytes: 250 * MEGABYTE, maxCaptionLength: 4000 },
      document: { maxBytes: 4096 * MEGABYTE, maxCaptionLength: 4000 },
    },
    inboundFiles: true,
    keyboard: "rows",
    templates: false,
    quote: true,
    edit: { windowMs: 7 * DAY_MS, parts: ["text", "attachment"] },
    remove: { windowMs: null },
    receipts: [],
    marks: ["read", "typing"],
    groupUpdates: ["title", "members"],
    login: [],
    resend: "unsafe",
  },
  /** dev.max.ru, "Limits": 30 requests per second per bot, 2 messages per second per chat. */
  pacing: {
    channel: { perSecond: 25, burst: 25 },
    chat: { perSecond: 2, burst: 2 },
    jitterMs: 0,
  },
} as const satisfies TransportDefinition;

export type MaxbotDefinition = typeof definition;
