import { createTestLink, TEST_CALLBACK_SECRET, type TestLink } from "../../core/transport/conformance.ts";
import type { InboundRequest, OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import { outboundFileOf, samplesIn, textTo } from "../kit/testing.ts";
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

export function linkTo(
  url: string,
  key = KEY,
  callbackUrl: string | null = null,
  messengerId: string | null = null,
): VkTestLink {
  const credentials = { access_token: key };
  return createTestLink({ credentials, settings: settingsFor(url), callbackUrl, messengerId });
}

/** Intervals short enough for tests. */
export const FAST = { firstPauseMs: 1, maxPauseMs: 2, checkMs: 5, accessMs: 600_000 };

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return textTo({ chatType: "vk", chatId: "111" }, more);
}

/** A PDF with a private URL by default. */
export function outboundFile(more: Partial<OutboundFile> = {}): OutboundFile {
  const offer = { name: "offer.pdf", mimeType: "application/pdf", kind: "document" } as const;
  return outboundFileOf("%PDF-1.4 content", { ...offer, urlMimeType: "application/pdf", ...more });
}

/** An event as VK posts it, by default with the test link's secret. */
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

export const { names: sampleNames, read: sample } = samplesIn<Readonly<Record<string, unknown>>>(
  import.meta.dirname,
);
