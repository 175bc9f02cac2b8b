import Type from "typebox";
import type { TransportDefinition } from "../../core/transport/definition.ts";

const MEGABYTE = 1024 * 1024;
const HOUR_MS = 3_600_000;

/**
 * Messages of VK communities. Limits: dev.vk.com, `messages.send`, `messages.edit`, `messages.delete`, "Uploading
 * files" (pictures of 50 MB, documents of 200 MB).
 */
export const definition = {
  id: "vk",
  label: "VK community",
  connect: "page",
  credentials: Type.Object({
    access_token: Type.String({
      title: "Community key",
      description: "From the community's settings: Manage, API usage, Access tokens",
      pattern: "^[A-Za-z0-9._-]{20,512}$",
      sensitive: true,
    }),
  }),
  settings: {
    apiUrl: {
      env: "VK_API_URL",
      default: "https://api.vk.ru",
      help: "Address of the VK API.",
      address: true,
    },
    oauthUrl: {
      env: "VK_OAUTH_URL",
      default: "https://oauth.vk.com",
      help: "Address of VK's sign-in for communities.",
      address: true,
    },
    appId: {
      env: "VK_APP_ID",
      default: "",
      help: "Id of your VK app. With it, owners can sign in at VK instead of pasting a key.",
    },
    appSecret: { env: "VK_APP_SECRET", default: "", help: "Secret key of that app.", sensitive: true },
  },
  chatTypes: ["vk"],
  capabilities: {
    addressBy: ["chatId"],
    text: { maxLength: 4096 },
    media: {
      image: { maxBytes: 50 * MEGABYTE, maxCaptionLength: 4096 },
      audio: { maxBytes: 200 * MEGABYTE },
      video: { maxBytes: 200 * MEGABYTE, maxCaptionLength: 4096 },
      document: { maxBytes: 200 * MEGABYTE, maxCaptionLength: 4096 },
    },
    inboundFiles: true,
    voiceNotes: "plain",
    keyboard: "markup",
    templates: false,
    quote: true,
    edit: { windowMs: 24 * HOUR_MS, parts: ["text", "attachment"] },
    remove: { windowMs: 24 * HOUR_MS },
    receipts: ["read"],
    reactions: { send: true },
    marks: ["read", "typing"],
    // A community adds people only when it creates a chat, and appoints nobody (dev.vk.com, `messages`).
    groups: {
      chatType: "vk",
      create: true,
      rename: true,
      picture: { mimeTypes: ["image/jpeg", "image/png"], maxBytes: 10 * MEGABYTE },
      participants: ["remove"],
      roles: [],
      limits: { name: 128, people: { min: 1, max: 100 } },
    },
    login: [],
    /** VK deduplicates messages by `random_id` for an hour. Five minutes are subtracted for clock differences. */
    resend: { idempotentForMs: HOUR_MS - 5 * 60_000 },
  },
  /** dev.vk.com, "Limits and recommendations": 20 requests per second with a community key. */
  pacing: {
    channel: { perSecond: 15, burst: 15 },
    chat: { perSecond: 3, burst: 5 },
    jitterMs: 0,
  },
} as const satisfies TransportDefinition;

export type VkDefinition = typeof definition;
