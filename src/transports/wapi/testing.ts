import {
  createTestAppLink,
  createTestLink,
  type TestAppLink,
  type TestLink,
} from "../../core/transport/conformance.ts";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import type { Template } from "../../core/transport/template.ts";
import {
  type ApiReply,
  type FakeApi,
  outboundFileOf,
  samplesIn,
  startFakeApi,
  textTo,
} from "../kit/testing.ts";
import { signedBy } from "../meta/testing.ts";
import { definition } from "./definition.ts";
import type { WapiCredentials, WapiLink } from "./linking/access.ts";

export const PHONE_ID = "106540352242922";
export const WABA_ID = "102290129340398";
export const TOKEN = "EAAtokenOfTheNumberInTests";
export const APP_SECRET = "appSecretInTests0123";
export const CREDENTIALS: WapiCredentials = {
  phone_number_id: PHONE_ID,
  waba_id: WABA_ID,
  access_token: TOKEN,
};
export const MESSAGE_ID = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
export const PROFILE = {
  messengerId: PHONE_ID,
  businessId: WABA_ID,
  name: "Jaspers Market",
  phone: "15555555555",
  url: "https://wa.me/15555555555",
};

export const PHONE = {
  id: PHONE_ID,
  display_phone_number: "+1 555-555-5555",
  verified_name: "Jaspers Market",
  quality_rating: "GREEN",
  name_status: "APPROVED",
  messaging_limit_tier: "TIER_2K",
};
export const LISTED = { ...PHONE, status: "CONNECTED" };
export const WABA = { id: WABA_ID, name: "Jaspers", account_review_status: "APPROVED" };

type Settings = WapiLink["settings"];

export function settingsFor(url: string, more: Partial<Settings> = {}): Settings {
  const defaults = Object.entries(definition.settings).map(([name, each]) => [name, each.default]);
  return {
    ...(Object.fromEntries(defaults) as Settings),
    graphUrl: url,
    dialogUrl: url,
    appSecret: APP_SECRET,
    ...more,
  };
}

export type WapiTestLink = TestLink<WapiCredentials, Settings>;

export function linkTo(url: string, credentials: WapiCredentials = CREDENTIALS): WapiTestLink {
  return createTestLink({
    credentials,
    settings: settingsFor(url),
    callbackUrl: "https://gate.example/in/wapi",
  });
}

export const ok = (body: unknown): ApiReply => ({ body });

export function refuse(code: number, message = "No", details?: string, status = 400): ApiReply {
  const more = details === undefined ? {} : { error_data: { messaging_product: "whatsapp", details } };
  const error = { message: `(#${code}) ${message}`, type: "OAuthException", code, ...more, fbtrace_id: "A" };
  return { status, body: { error } };
}

export function sent(id = "wamid.OUT1", waId = "16505551234"): ApiReply {
  return ok({
    messaging_product: "whatsapp",
    contacts: [{ input: "16505551234", wa_id: waId }],
    messages: [{ id }],
  });
}

/** Files are served under `/files/NAME`, only with the token. */
export function startFakeGraph(files: Readonly<Record<string, string>> = {}): Promise<FakeApi> {
  return startFakeApi({
    callOf: ({ method, path }) => `${method} ${path.replace(/^\/v\d+\.\d+/, "")}`,
    serve({ url = "", headers }, response) {
      const [, name] = /^\/files\/([^?]*)/.exec(url) ?? [];
      if (name === undefined) return false;
      response.writeHead(headers.authorization === `Bearer ${TOKEN}` ? 200 : 401).end(files[name]);
      return true;
    },
  });
}

/** Prepares the replies for a healthy number with these templates. */
export function layOutNumber(graph: FakeApi, templates: readonly object[] = []): void {
  graph.always(`GET /${PHONE_ID}`, ok(PHONE));
  graph.always(`GET /${WABA_ID}/phone_numbers`, ok({ data: [LISTED] }));
  graph.always(`GET /${WABA_ID}`, ok(WABA));
  graph.always(`GET /${WABA_ID}/subscribed_apps`, ok({ data: [] }));
  graph.always(`POST /${WABA_ID}/subscribed_apps`, ok({ success: true }));
  graph.always(`GET /${WABA_ID}/message_templates`, ok({ data: templates }));
}

/** Intervals short enough for tests. */
export const FAST = { firstPauseMs: 1, maxPauseMs: 2, checkMs: 600_000, accessMs: 600_000 };

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return textTo({ chatType: "whatsapp", chatId: "16505551234" }, more);
}

/** A JPEG with a private URL by default. */
export function fileMessage(
  file: Partial<OutboundFile> = {},
  more: Partial<OutboundMessage> = {},
): OutboundMessage {
  const photo = { name: "photo.jpg", mimeType: "image/jpeg", kind: "image" } as const;
  const url = { url: "https://files.example/photo.jpg", urlIsPublic: false };
  const outbound = outboundFileOf("file content", { ...photo, ...url, ...file });
  return textMessage({ content: { type: "file", file: outbound }, ...more });
}

export const TEMPLATE: Template = {
  externalId: "1689556908129832",
  name: "order_confirmation",
  language: "en_US",
  category: "UTILITY",
  status: "APPROVED",
  components: [{ type: "BODY", text: "Hi {{1}}, order {{2}}" }],
};

export function templateMessage(
  template: Partial<Template>,
  values: readonly string[],
  payloads: readonly string[] = [],
): OutboundMessage {
  return textMessage({
    content: { type: "template", template: { ...TEMPLATE, ...template }, values, payloads },
  });
}

export const { names: sampleNames, read: sample } = samplesIn(import.meta.dirname);

/** A webhook call signed as Meta signs it. */
export const signedCall = (body: unknown, secret = APP_SECRET) => signedBy(secret, body);

/** The app that these channels share. */
export function appOf(...links: readonly WapiLink[]): TestAppLink<WapiLink> {
  const [first = linkTo("http://127.0.0.1:1")] = links;
  const channels = links.map((link) => ({
    messengerId: link.credentials.phone_number_id,
    businessId: link.credentials.waba_id,
    phone: "15550783881",
    link,
  }));
  return createTestAppLink({ settings: first.settings, request: first.request, channels });
}
