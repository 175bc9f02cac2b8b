import Type from "typebox";
import type { TransportDefinition } from "../../core/transport/definition.ts";

const MEGABYTE = 1024 * 1024;
const HOUR_MS = 3_600_000;

/**
 * Chats about listings on Avito. Limits: developers.avito.ru, "Мессенджер": texts of 1000 characters, pictures of 24 MB,
 * deletion within an hour.
 */
export const definition = {
  id: "avito",
  label: "Avito",
  connect: "credentials",
  credentials: Type.Object({
    code: Type.Optional(
      Type.String({
        title: "Authorization code",
        description: "From Avito's consent page; it serves once, and for some minutes",
        pattern: "^[\\x21-\\x7e]{4,1024}$",
        sensitive: true,
      }),
    ),
    client_id: Type.Optional(
      Type.String({
        title: "Client id",
        description: "Of an Avito application of your own, from your account's settings for integrations",
        pattern: "^[A-Za-z0-9_-]{8,128}$",
      }),
    ),
    client_secret: Type.Optional(
      Type.String({
        title: "Client secret",
        description: "Of that application",
        pattern: "^[\\x21-\\x7e]{8,256}$",
        sensitive: true,
      }),
    ),
  }),
  storedCredentials: Type.Object({
    user_id: Type.String(),
    access_token: Type.String({ sensitive: true }),
    /** ISO 8601. */
    expires_at: Type.String(),
    /** Absent where the application stands for its own account. */
    refresh_token: Type.Optional(Type.String({ sensitive: true })),
    /** Absent where the installation's application was used. */
    client_id: Type.Optional(Type.String()),
    client_secret: Type.Optional(Type.String({ sensitive: true })),
  }),
  settings: {
    apiUrl: {
      env: "AVITO_API_URL",
      default: "https://api.avito.ru",
      help: "Address of Avito's API.",
      address: true,
    },
    consentUrl: {
      env: "AVITO_CONSENT_URL",
      default: "https://avito.ru",
      help: "Address of Avito's website, where owners give access.",
      address: true,
    },
    clientId: {
      env: "AVITO_CLIENT_ID",
      default: "",
      help: "Your Avito application: owners can then sign in at Avito, and clients can give its authorization codes.",
    },
    clientSecret: {
      env: "AVITO_CLIENT_SECRET",
      default: "",
      help: "Secret of that application.",
      sensitive: true,
    },
  },
  chatTypes: ["avito"],
  capabilities: {
    addressBy: ["chatId"],
    text: { maxLength: 1000 },
    media: { image: { maxBytes: 24 * MEGABYTE } },
    inboundFiles: true,
    keyboard: null,
    templates: false,
    quote: false,
    edit: null,
    remove: { windowMs: HOUR_MS },
    receipts: ["read"],
    login: [],
    resend: "unsafe",
  },
  /** Avito publishes no numbers for the messenger; integrators stay at about these. */
  pacing: {
    channel: { perSecond: 5, burst: 5 },
    chat: { perSecond: 1, burst: 3 },
    jitterMs: 0,
  },
} as const satisfies TransportDefinition;

export type AvitoDefinition = typeof definition;
