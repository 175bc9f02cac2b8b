import Type from "typebox";
import type { TransportDefinition } from "../../core/transport/definition.ts";

const MEGABYTE = 1024 * 1024;
const HOUR_MS = 3_600_000;

/**
 * Chats about listings on Avito. Limits (developers.avito.ru, "Мессенджер"): 1000 characters of text, pictures of 24
 * MB, deletion within an hour.
 */
export const definition = {
  id: "avito",
  label: "Avito",
  connect: "credentials",
  credentials: Type.Object({
    code: Type.Optional(
      Type.String({
        title: "Authorization code",
        description: "From Avito's consent page; it can be used once and expires after a few minutes",
        pattern: "^[\\x21-\\x7e]{4,1024}$",
        sensitive: true,
      }),
    ),
    client_id: Type.Optional(
      Type.String({
        title: "Client id",
        description: "Client id of your own Avito application, from the integration settings of your account",
        pattern: "^[A-Za-z0-9_-]{8,128}$",
      }),
    ),
    client_secret: Type.Optional(
      Type.String({
        title: "Client secret",
        description: "Secret of that application",
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
    /** Absent for an application that represents its own account. */
    refresh_token: Type.Optional(Type.String({ sensitive: true })),
    /** Absent if the installation's application was used. */
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
      help: "Address of Avito's website, where owners grant access.",
      address: true,
    },
    clientId: {
      env: "AVITO_CLIENT_ID",
      default: "",
      help: "Client id of your Avito application. With it, owners can sign in at Avito, and clients can pass its authorization codes.",
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
    marks: ["read"],
    login: [],
    resend: "unsafe",
  },
  /** Avito publishes no rate limits for the messenger; these are about what other integrators use. */
  pacing: {
    channel: { perSecond: 5, burst: 5 },
    chat: { perSecond: 1, burst: 3 },
    jitterMs: 0,
  },
} as const satisfies TransportDefinition;

export type AvitoDefinition = typeof definition;
