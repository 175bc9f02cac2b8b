import Type from "typebox";
import type { TransportDefinition } from "../../core/transport/definition.ts";

const MEGABYTE = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

const id = { pattern: "^[0-9]{5,32}$" };
const token = { pattern: "^[\\x21-\\x7e]{8,4096}$", sensitive: true };

/**
 * Messages and comments of professional Instagram accounts, with either of Meta's logins: Instagram Login, or
 * Facebook Login with the page that the account is linked to (`page_id`). Limits: pages "Send messages" and "Private
 * replies" of the Instagram Platform.
 */
export const definition = {
  id: "instagram",
  label: "Instagram",
  connect: "redirect",
  credentials: Type.Object({
    user_token: Type.String({
      title: "User token",
      description: "Token of the account, or of the Facebook user who manages its page",
      ...token,
    }),
    page_id: Type.Optional(
      Type.String({ title: "Facebook page id", description: "Only with a token of Facebook Login", ...id }),
    ),
    inst_id: Type.Optional(Type.String({ title: "Account id", description: "Checked if given", ...id })),
    username: Type.Optional(Type.String({ title: "Username", description: "Checked if given" })),
  }),
  storedCredentials: Type.Object({
    access_token: Type.String({ sensitive: true }),
    /** The `entry.id` of webhook calls. */
    account_id: Type.String(),
    username: Type.String(),
    /** Absent for a token of Instagram Login. */
    page_id: Type.Optional(Type.String()),
    /** ISO 8601. Absent if the token does not expire or its expiry is unknown. */
    expires_at: Type.Optional(Type.String()),
  }),
  settings: {
    graphUrl: {
      env: "INSTAGRAM_GRAPH_URL",
      default: "https://graph.instagram.com",
      help: "Address of the Graph API for Instagram Login.",
      address: true,
    },
    pageGraphUrl: {
      env: "INSTAGRAM_PAGE_GRAPH_URL",
      default: "https://graph.facebook.com",
      help: "Address of the Graph API for Facebook Login and for the app.",
      address: true,
    },
    dialogUrl: {
      env: "INSTAGRAM_DIALOG_URL",
      default: "https://www.instagram.com",
      help: "Address of Instagram's login dialog.",
      address: true,
    },
    codeUrl: {
      env: "INSTAGRAM_CODE_URL",
      default: "https://api.instagram.com",
      help: "Address where codes of the login dialog are exchanged for tokens.",
      address: true,
    },
    graphVersion: { env: "INSTAGRAM_GRAPH_VERSION", default: "v25.0", help: "Version of the Graph API." },
    appId: {
      env: "INSTAGRAM_APP_ID",
      default: "",
      help: "App id of the Instagram app in your Meta app. Sign-in requires it.",
    },
    appSecret: {
      env: "INSTAGRAM_APP_SECRET",
      default: "",
      help: "Secret of the Instagram app. Meta signs webhook calls with it; token exchange requires it.",
      sensitive: true,
    },
    verifyToken: {
      env: "INSTAGRAM_VERIFY_TOKEN",
      default: "",
      help: "The verify token that you enter with the callback URL in the dashboard of your Meta app.",
      sensitive: true,
    },
  },
  calledBack: "app",
  chatTypes: ["instagram"],
  capabilities: {
    addressBy: ["chatId"],
    // The limit is 1,000 bytes of UTF-8, which the connector checks.
    text: { maxLength: 1000 },
    media: {
      image: { maxBytes: 8 * MEGABYTE },
      video: { maxBytes: 25 * MEGABYTE },
      audio: { maxBytes: 25 * MEGABYTE },
      document: { maxBytes: 25 * MEGABYTE },
    },
    inboundFiles: true,
    keyboard: null,
    templates: false,
    quote: true,
    edit: null,
    remove: null,
    receipts: ["read"],
    reactions: { send: true },
    marks: ["read", "typing"],
    // 24 hours, or seven days with the human agent tag (page "Send messages", "Human agent").
    replyWindow: { ms: 7 * DAY_MS, code: "7_DAYS_EXCEEDED" },
    login: [],
    resend: "unsafe",
  },
  /** 10 calls per second with audio or video, 100 with other content (page "Overview", "Rate limits"). */
  pacing: { channel: { perSecond: 10, burst: 10 }, chat: { perSecond: 1, burst: 5 }, jitterMs: 0 },
} as const satisfies TransportDefinition;

export type InstagramDefinition = typeof definition;
