import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import {
  createTestAppLink,
  createTestLink,
  type TestAppLink,
  type TestLink,
} from "../../core/transport/conformance.ts";
import type { InboundRequest, OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import type { Template } from "../../core/transport/template.ts";
import type { WapiCredentials, WapiLink } from "./access.ts";
import { definition } from "./definition.ts";

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

export interface ApiReply {
  readonly status?: number;
  readonly body: unknown;
}

interface ApiRequest {
  /** Such as `POST /106540352242922/messages`. */
  readonly call: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Of the part `file`. */
  readonly file?: { readonly name: string; readonly type: string; readonly text: string };
}

/** A Graph API with answers laid out beforehand. A call without one fails the test, and so does an unused answer. */
export interface FakeGraph {
  readonly url: string;
  readonly requests: ApiRequest[];
  /** Lays out the next answers of a call; `always` for every one. */
  on(call: string, ...replies: readonly ApiReply[]): void;
  always(call: string, reply: ApiReply): void;
  /** Resolves with the nth request of a call, counted from 1. */
  request(call: string, nth?: number): Promise<ApiRequest>;
  /** Stops, and answers what did not go as laid out. */
  finish(): Promise<string[]>;
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

/** Files are served under `/files/NAME`, to the token only. */
export async function startFakeGraph(files: Readonly<Record<string, string>> = {}): Promise<FakeGraph> {
  const replies = new Map<string, ApiReply[]>();
  const constant = new Map<string, ApiReply>();
  const requests: ApiRequest[] = [];
  const problems: string[] = [];
  const arrivals = new Set<() => void>();

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? "", "http://x");
    const file = files[pathname.replace("/files/", "")];
    if (pathname.startsWith("/files/"))
      return void response
        .writeHead(incoming.headers.authorization === `Bearer ${TOKEN}` ? 200 : 401)
        .end(file);
    const call = `${incoming.method} ${pathname.replace(/^\/v\d+\.\d+/, "")}`;
    requests.push({ call, query: Object.fromEntries(searchParams), ...(await readBody(incoming)) });
    for (const notify of arrivals) notify();
    const reply = replies.get(call)?.shift() ?? constant.get(call);
    if (reply === undefined) problems.push(`unexpected ${call}`);
    const { status = 200, body } = reply ?? { status: 500, body: "not laid out" };
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      problems.push(String(error));
      response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    on(call, ...laidOut) {
      replies.set(call, [...(replies.get(call) ?? []), ...laidOut]);
    },
    always: (call, reply) => void constant.set(call, reply),
    request(call, nth = 1) {
      return new Promise((resolve) => {
        const notify = (): void => {
          const found = requests.filter((each) => each.call === call)[nth - 1];
          if (found === undefined) return;
          arrivals.delete(notify);
          resolve(found);
        };
        arrivals.add(notify);
        notify();
      });
    },
    async finish() {
      server.closeAllConnections();
      server.close();
      const unused = [...replies].flatMap(([call, rest]) => rest.map(() => `unused answer of ${call}`));
      return [...problems, ...unused];
    },
  };
}

/** A number in good order, with these templates. */
export function layOutNumber(graph: FakeGraph, templates: readonly object[] = []): void {
  graph.always(`GET /${PHONE_ID}`, ok(PHONE));
  graph.always(`GET /${WABA_ID}/phone_numbers`, ok({ data: [LISTED] }));
  graph.always(`GET /${WABA_ID}`, ok(WABA));
  graph.always(`GET /${WABA_ID}/subscribed_apps`, ok({ data: [] }));
  graph.always(`POST /${WABA_ID}/subscribed_apps`, ok({ success: true }));
  graph.always(`GET /${WABA_ID}/message_templates`, ok({ data: templates }));
}

async function readBody(incoming: IncomingMessage): Promise<Pick<ApiRequest, "body" | "file">> {
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
  const type = incoming.headers["content-type"] ?? "";
  const message = new Response(body, { headers: { "content-type": type } });
  if (!type.startsWith("multipart/")) {
    const text = await message.text();
    return { body: text === "" ? undefined : JSON.parse(text) };
  }
  const form = await message.formData();
  const file = form.get("file");
  const fields = Object.fromEntries([...form].filter(([name]) => name !== "file"));
  if (!(file instanceof Blob)) return { body: fields };
  return { body: fields, file: { name: file.name, type: file.type, text: await file.text() } };
}

/** Pauses so short that a test does not notice them. */
export const FAST = { firstPauseMs: 1, maxPauseMs: 2, checkMs: 600_000 };

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    id: MESSAGE_ID,
    to: { chatType: "whatsapp", chatId: "16505551234" },
    content: { type: "text", text: "hello" },
    ...more,
  };
}

/** A private jpeg unless told otherwise. */
export function fileMessage(
  file: Partial<OutboundFile> = {},
  more: Partial<OutboundMessage> = {},
): OutboundMessage {
  const bytes = Buffer.from("file content");
  const outbound: OutboundFile = {
    url: "https://files.example/photo.jpg",
    urlIsPublic: false,
    urlMimeType: file.mimeType ?? "image/jpeg",
    name: "photo.jpg",
    mimeType: "image/jpeg",
    kind: "image",
    size: bytes.length,
    open: () => Readable.from([bytes]),
    ...file,
  };
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

const SAMPLES = new URL("./samples/", import.meta.url);

export function sample(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`${name}.json`, SAMPLES), "utf8"));
}

export function sampleNames(): string[] {
  return readdirSync(SAMPLES).map((file) => file.replace(/\.json$/, ""));
}

/** A callback as Meta signs it. */
export function signedCall(body: unknown, secret = APP_SECRET): InboundRequest {
  const bytes = Buffer.from(JSON.stringify(body));
  const signature = createHmac("sha256", secret).update(bytes).digest("hex");
  return {
    method: "POST",
    path: "",
    query: new URLSearchParams(),
    headers: { "x-hub-signature-256": `sha256=${signature}` },
    body: bytes,
  };
}

/** The app of one channel, or of several. */
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
