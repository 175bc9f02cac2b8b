import Type from "typebox";
import type { TransportDefinition } from "../../core/transport/definition.ts";

/** The limit for documents. Media above the limits of their own type are sent as documents. */
const MAX_BYTES = 100 * 1024 * 1024;
/** Pages "Image messages", "Video messages" and "Document messages". Audio has no caption. */
const MAX_CAPTION = 1024;

/**
 * WhatsApp Business Platform (Cloud API). Limits: pages "Send messages", "Supported media types" and "Throughput". A
 * business is a WhatsApp Business Account (WABA); a channel is one of its phone numbers.
 */
export const definition = {
  id: "wapi",
  label: "WhatsApp Business Platform",
  connect: "redirect",
  credentials: Type.Object({
    phone_number_id: Type.String({
      title: "Phone number id",
      description: "From WhatsApp Manager or the app's dashboard; not the phone number itself",
      pattern: "^[0-9]{5,32}$",
    }),
    waba_id: Type.String({
      title: "WhatsApp Business Account id",
      description: "The account that the number belongs to",
      pattern: "^[0-9]{5,32}$",
    }),
    access_token: Type.String({
      title: "Access token",
      description:
        "Token of a system user, with whatsapp_business_messaging and whatsapp_business_management",
      pattern: "^[\\x21-\\x7e]{8,4096}$",
      sensitive: true,
    }),
    app_secret: Type.Optional(
      Type.String({
        title: "App secret",
        description: "Only when the token belongs to a Meta app of your own",
        pattern: "^[\\x21-\\x7e]{8,256}$",
        sensitive: true,
      }),
    ),
  }),
  settings: {
    graphUrl: {
      env: "GRAPH_API_URL",
      default: "https://graph.facebook.com",
      help: "Address of Meta's Graph API.",
      address: true,
    },
    dialogUrl: {
      env: "META_DIALOG_URL",
      default: "https://www.facebook.com",
      help: "Address of Meta's login dialog, where Embedded Signup begins.",
      address: true,
    },
    graphVersion: { env: "GRAPH_API_VERSION", default: "v25.0", help: "Version of the Graph API." },
    appId: {
      env: "WAPI_APP_ID",
      default: "",
      help: "Id of your Meta app. Without it, owners enter the ids and the token of their number by hand.",
    },
    configId: {
      env: "WAPI_CONFIG_ID",
      default: "",
      help: "Configuration of Facebook Login for Business that Embedded Signup uses.",
    },
    appSecret: {
      env: "WAPI_APP_SECRET",
      default: "",
      help: "Secret of your Meta app. Meta signs webhook calls with it; Embedded Signup requires it.",
      sensitive: true,
    },
    verifyToken: {
      env: "WAPI_VERIFY_TOKEN",
      default: "",
      help: "The verify token that you enter with the callback URL in your Meta app's dashboard.",
      sensitive: true,
    },
    listLabel: {
      env: "WAPI_LIST_LABEL",
      default: "Menu",
      help: "Label of the button that opens a list of more than three buttons; at most 20 characters.",
    },
  },
  calledBack: "app",
  chatTypes: ["whatsapp"],
  capabilities: {
    addressBy: ["chatId"],
    text: { maxLength: 4096 },
    media: {
      image: { maxBytes: MAX_BYTES, maxCaptionLength: MAX_CAPTION },
      audio: { maxBytes: MAX_BYTES },
      video: { maxBytes: MAX_BYTES, maxCaptionLength: MAX_CAPTION },
      document: { maxBytes: MAX_BYTES, maxCaptionLength: MAX_CAPTION },
    },
    inboundFiles: true,
    voiceNotes: "plain",
    keyboard: "interactive",
    // Page "Interactive messages": the limits of the body and of a reply button's id.
    withButtons: { maxTextLength: 1024, maxPayloadLength: 256 },
    templates: true,
    quote: true,
    edit: null,
    remove: null,
    receipts: ["delivered", "read"],
    reactions: { send: true },
    marks: ["read", "typing"],
    // 24 hours, or 72 hours after a click on an advertisement (pages "Send messages" and "Pricing", free entry
    // points).
    replyWindow: { ms: 72 * 60 * 60 * 1000, code: "24_HOURS_EXCEEDED" },
    history: true,
    login: [],
    resend: "unsafe",
  },
  /** 80 messages per second per number; one message per 6 seconds to one person, after a burst of 45. */
  pacing: {
    channel: { perSecond: 80, burst: 80 },
    chat: { perSecond: 1 / 6, burst: 45 },
    jitterMs: 0,
  },
} as const satisfies TransportDefinition;

export type WapiDefinition = typeof definition;
