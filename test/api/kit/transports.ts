import { Type } from "typebox";
import { defineTransport, type Session, type Transport } from "../../../src/core/transport/connector.ts";
import type { Capabilities, ChatType, TransportDefinition } from "../../../src/core/transport/definition.ts";
import { CredentialsError, TransportError } from "../../../src/core/transport/errors.ts";
import type { TransportEvent } from "../../../src/core/transport/events.ts";

const HOUR_MS = 3_600_000;
const PACE = { perSecond: 1_000, burst: 1_000 };

const FILES = { maxBytes: 50 * 1024 * 1024 };

const CAPABILITIES: Capabilities = {
  addressBy: ["chatId"],
  text: { maxLength: 4_096 },
  media: { image: FILES, audio: FILES, video: FILES, document: FILES },
  inboundFiles: false,
  keyboard: null,
  templates: false,
  quote: true,
  edit: null,
  remove: null,
  receipts: [],
  login: [],
  resend: "unsafe",
};

/**
 * Transports of different abilities, so that each rule of the interface has one that it applies to. Their
 * messengers are never reached: nothing opens a channel in these tests.
 */
export const testTransports: Transport[] = [
  withToken("telegram", ["telegram", "telegroup"], {
    keyboard: "markup",
    edit: { windowMs: null, parts: ["text", "attachment"], refusesKeyboardRemovals: true },
    remove: { windowMs: 48 * HOUR_MS },
  }),
  withQr("whatsapp", ["whatsapp", "whatsgroup"], {
    edit: { windowMs: null, parts: ["text"] },
    history: true,
    login: ["password", "code", "pairingCode", "passkey"],
  }),
  withPage("wapi", ["whatsapp"], {
    keyboard: "interactive",
    withButtons: { maxTextLength: 1_024, maxPayloadLength: 256 },
    templates: true,
  }),
  withQr("maxbot", ["max", "maxgroup"], { keyboard: "rows" }),
  withQr("viber", ["viber"], {
    quote: false,
    media: { image: { maxBytes: 1024 } },
    edit: { windowMs: null, parts: ["text", "attachment"] },
    login: ["phone", "code"],
  }),
];

/** `good:ID` is the token of the bot ID; the messenger is away for `away`, and refuses everything else. */
function withToken(
  id: string,
  chatTypes: [ChatType, ...ChatType[]],
  capabilities: Partial<Capabilities>,
): Transport {
  const credentials = Type.Object({ telegram_token: Type.String({ minLength: 1 }) });
  return defineTransport(definitionOf(id, "credentials", credentials, chatTypes, capabilities), {
    async verify({ credentials: { telegram_token: token } }) {
      if (token === "away") throw new TransportError("UNKNOWN_ERROR", "no answer", { retry: "unknown" });
      if (!token.startsWith("good:")) throw new CredentialsError("unknown token");
      const bot = token.slice("good:".length);
      const url = `https://t.me/bot${bot}`;
      return { profile: { messengerId: bot, name: `Bot ${bot}`, username: `bot${bot}`, url } };
    },
    open: refuseToOpen,
    async receive(request, link) {
      if (request.headers["x-secret"] !== link.credentials.telegram_token) return { status: 401 };
      const { method, path, query } = request;
      const echo = { method, path, query: [...query], body: Buffer.from(request.body).toString("base64") };
      return { status: 200, body: JSON.stringify(echo) };
    },
  });
}

function withQr(
  id: string,
  chatTypes: [ChatType, ...ChatType[]],
  capabilities: Partial<Capabilities>,
): Transport {
  return defineTransport(definitionOf(id, "qr", Type.Object({}), chatTypes, capabilities), {
    open: refuseToOpen,
  });
}

/**
 * `good:ID@BUSINESS` is the key of the number ID. The sign-in takes a key as `code` from the messenger. A
 * call to all channels is a list of `{to, business, event}`; a template named "bad" is refused.
 */
function withPage(
  id: string,
  chatTypes: [ChatType, ...ChatType[]],
  capabilities: Partial<Capabilities>,
): Transport {
  const credentials = Type.Object({ key: Type.String({ minLength: 1, sensitive: true }) });
  const definition = {
    ...definitionOf(id, "redirect", credentials, chatTypes, capabilities),
    calledBack: "app",
  } as const;
  return defineTransport(definition, {
    async verify({ credentials: { key } }) {
      if (key === "away") throw new TransportError("UNKNOWN_ERROR", "no answer", { retry: "unknown" });
      const [, messengerId = "", businessId = ""] = /^good:(.*)@(.*)$/.exec(key) ?? [];
      if (messengerId === "") throw new CredentialsError("unknown key");
      return { profile: { messengerId, businessId, name: `Number ${messengerId}`, phone: messengerId } };
    },
    signIn: {
      isOffered: () => true,
      start: async ({ state, returnUrl }) =>
        `https://messenger.example/login?${new URLSearchParams({ state, returnUrl })}`,
      async comeBack({ connect }, _link, query) {
        const key = query.get("code");
        if (key === null) return { kind: "refused", reason: "denied", description: "not agreed" };
        if (key === "elsewhere") return { kind: "elsewhere", url: "https://messenger.example/more" };
        const outcome = await connect({ key });
        return "refusal" in outcome
          ? { kind: "refused", reason: "credentials", description: outcome.refusal }
          : { kind: "connected", ...outcome };
      },
    },
    open: refuseToOpen,
    async receiveForApp({ headers, body }, app) {
      if (headers["x-secret"] !== app.callbackSecret) return { status: 401 };
      const calls = JSON.parse(Buffer.from(body).toString()) as AppCall[];
      const channels = await app.find({
        messengerIds: calls.flatMap(({ to }) => to ?? []),
        businessIds: calls.flatMap(({ business }) => business ?? []),
      });
      for (const { to, business, event } of calls)
        for (const channel of channels)
          if (channel.messengerId === to || channel.businessId === business)
            await channel.link.emit(withDates(event));
      return { status: 200, body: channels.map(({ messengerId }) => messengerId).join() };
    },
    templates: {
      async create(_access, draft) {
        if (draft.name === "bad")
          throw new TransportError("GENERAL_ERROR", "refused", { data: "(#192) too many words" });
        if (draft.name === "away") throw new TransportError("UNKNOWN_ERROR", "away", { retry: "later" });
        return { ...draft, externalId: `id-${draft.name}-${draft.language}`, status: "PENDING" };
      },
      change: async (_access, template, change) => ({ ...template, ...change, status: "PENDING" }),
      remove: async () => undefined,
    },
  });
}

interface AppCall {
  readonly to?: string;
  readonly business?: string;
  readonly event: TransportEvent;
}

/** Times travel as text. */
function withDates(event: TransportEvent): TransportEvent {
  return JSON.parse(JSON.stringify(event), (key, value: unknown) =>
    key === "at" || key === "sentAt" ? new Date(String(value)) : value,
  ) as TransportEvent;
}

function definitionOf<C extends TransportDefinition["credentials"]>(
  id: string,
  connect: TransportDefinition["connect"],
  credentials: C,
  chatTypes: readonly [ChatType, ...ChatType[]],
  capabilities: Partial<Capabilities>,
) {
  const pacing = { channel: PACE, chat: PACE, jitterMs: 0 };
  return {
    id,
    label: id,
    connect,
    credentials,
    settings: {},
    chatTypes,
    capabilities: { ...CAPABILITIES, ...capabilities },
    pacing,
  } satisfies TransportDefinition;
}

function refuseToOpen(): Promise<Session> {
  return Promise.reject(new Error("Channels of these transports are not opened"));
}
