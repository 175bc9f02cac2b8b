import { readdirSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { createTestLink, TEST_CALLBACK_SECRET, type TestLink } from "../../core/transport/conformance.ts";
import type { InboundRequest, OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import type { InboundContext } from "./inbound.ts";

export const KEY = "vk1.a.a-secret-of-the-tests-0000000000000000000000";
const ANN = {
  id: "111",
  first_name: "Ann",
  last_name: "Bell",
  screen_name: "annb",
  photo_200: "https://sun1.userapi.com/a.jpg",
};

export const CONTEXT: InboundContext = {
  now: new Date("2026-09-21T15:00:00Z"),
  personOf: (id) => (id === ANN.id ? ANN : undefined),
  titleOf: () => "Team",
};

export interface TestSettings {
  readonly apiUrl: string;
  readonly oauthUrl: string;
  readonly appId: string;
  readonly appSecret: string;
}
export type VkTestLink = TestLink<{ access_token: string }, TestSettings>;

export function settingsFor(url: string): TestSettings {
  return { apiUrl: url, oauthUrl: url, appId: "51000001", appSecret: "the-apps-secret" };
}

export function linkTo(url: string, key = KEY, callbackUrl: string | null = null): VkTestLink {
  return createTestLink({ credentials: { access_token: key }, settings: settingsFor(url), callbackUrl });
}

/** Pauses so short that a test does not notice them. */
export const FAST = { firstPauseMs: 1, maxPauseMs: 2, checkMs: 5 };

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
    to: { chatType: "vk", chatId: "111" },
    content: { type: "text", text: "hello" },
    ...more,
  };
}

/** A private pdf unless told otherwise. */
export function outboundFile(more: Partial<OutboundFile> = {}): OutboundFile {
  const bytes = Buffer.from("%PDF-1.4 content");
  return {
    url: "http://files.internal/p/offer.pdf",
    urlIsPublic: false,
    urlMimeType: "application/pdf",
    name: "offer.pdf",
    mimeType: "application/pdf",
    kind: "document",
    size: bytes.length,
    open: () => Readable.from([bytes.subarray(0, 4), bytes.subarray(4)]),
    ...more,
  };
}

/** An event as VK posts it, with the secret of the link for tests unless told otherwise. */
export function callOf(event: unknown, secret = TEST_CALLBACK_SECRET.slice(0, 50)): InboundRequest {
  const body = typeof event === "object" && event !== null ? { ...event, secret } : event;
  return {
    method: "POST",
    path: "",
    query: new URLSearchParams(),
    headers: {},
    body: Buffer.from(JSON.stringify(body)),
  };
}

const SAMPLES = new URL("./samples/", import.meta.url);

export function sample(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(new URL(`${name}.json`, SAMPLES), "utf8"));
}

export function sampleNames(): string[] {
  return readdirSync(SAMPLES).map((file) => file.replace(/\.json$/, ""));
}
