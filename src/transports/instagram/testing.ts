import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import {
  createTestAppLink,
  createTestLink,
  type TestAppLink,
  type TestLink,
} from "../../core/transport/conformance.ts";
import type { InboundRequest, OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import type { InstagramCredentials, InstagramLink } from "./access.ts";
import { definition } from "./definition.ts";

export const ACCOUNT = "17841400000000001";
/** Ann, as the account knows her. */
export const ANN = "1000000000000111";
const APP_SECRET = "appSecretOfTheTests0123";
export const CREDENTIALS: InstagramCredentials = {
  access_token: "IGAAtokenOfTheAccountInTests",
  account_id: ACCOUNT,
  username: "shop",
};

type Settings = InstagramLink["settings"];
export type InstagramTestLink = TestLink<InstagramCredentials, Settings>;

/** All of Meta's hosts at this address, or below it as the emulator has them. */
export function settingsFor(url: string, more: Partial<Settings> = {}): Settings {
  const defaults = Object.entries(definition.settings).map(([name, each]) => [name, each.default]);
  return {
    ...(Object.fromEntries(defaults) as Settings),
    graphUrl: url,
    pageGraphUrl: url,
    dialogUrl: url,
    codeUrl: url,
    appId: "900000000000001",
    appSecret: APP_SECRET,
    ...more,
  };
}

function linkTo(url: string, credentials = CREDENTIALS): InstagramTestLink {
  return createTestLink({
    credentials,
    settings: settingsFor(url),
    callbackUrl: "https://gate.example/in/instagram",
  });
}

/** Pauses so short that a test does not notice them. */
export const FAST = { firstPauseMs: 1, maxPauseMs: 2, checkMs: 600_000, renewMs: 30 * 24 * 60 * 60 * 1000 };

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
    to: { chatType: "instagram", chatId: ANN },
    content: { type: "text", text: "hello" },
    quietMs: 1000,
    ...more,
  };
}

export function fileMessage(
  file: Partial<OutboundFile> = {},
  more: Partial<OutboundMessage> = {},
): OutboundMessage {
  const bytes = Buffer.from("file content");
  const outbound: OutboundFile = {
    url: "https://files.example/photo.jpg",
    urlIsPublic: true,
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

/** The app of these channels. */
export function appOf(settings: Settings, ...links: readonly InstagramLink[]): TestAppLink<InstagramLink> {
  const [first = linkTo("http://127.0.0.1:9")] = links;
  const channels = links.map((link) => ({
    messengerId: link.credentials.account_id ?? ACCOUNT,
    businessId: null,
    phone: "",
    link,
  }));
  return createTestAppLink({ settings, request: first.request, channels });
}
