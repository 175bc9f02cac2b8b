import { createHmac } from "node:crypto";
import { createTestLink, type TestLink } from "../../core/transport/conformance.ts";
import type { InboundRequest, OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import { parseBounded } from "../../platform/foreign/bounded-json.ts";
import { outboundFileOf, samplesIn, textTo } from "../kit/testing.ts";
import type { ViberLink } from "./account.ts";

export const TOKEN = "4453b6ac1s345678-e02c5f12174805f9-a-secret-of-tests";
/** The token of the shared bot. */
export const SHARED_TOKEN = "5564c7bd2t456789-f13d6023285916a0-a-shared-secret";
/** John, who appears in the samples. */
export const JOHN = "01234567890A=";
export const MESSAGE_TOKEN = "4912661846655238145";

export type ViberTestLink = TestLink<ViberLink["credentials"], ViberLink["settings"]>;

export function linkTo(
  apiUrl: string,
  {
    credentials = { viber_token: TOKEN, name: "Shop" },
    botToken = "",
    callbackUrl = null,
  }: {
    readonly credentials?: ViberLink["credentials"];
    readonly botToken?: string;
    readonly callbackUrl?: string | null;
  } = {},
): ViberTestLink {
  return createTestLink({ credentials, settings: { apiUrl, botToken }, callbackUrl });
}

/** Intervals short enough for tests. */
export const FAST = { firstPauseMs: 1, maxPauseMs: 2, checkMs: 5 };

/** A callback signed as Viber signs it, over its raw bytes. */
export function signedCall(body: string, token = TOKEN): InboundRequest {
  const signature = createHmac("sha256", token).update(body).digest("hex");
  return {
    method: "POST",
    path: "",
    query: new URLSearchParams(),
    headers: { "x-viber-content-signature": signature },
    body: Buffer.from(body),
  };
}

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return textTo({ chatType: "viber", chatId: JOHN }, more);
}

export function fileMessage(file: Partial<OutboundFile> = {}): OutboundMessage {
  return textMessage({ content: { type: "file", file: outboundFile(file) } });
}

/** A PDF with a public URL by default. */
export function outboundFile(more: Partial<OutboundFile> = {}): OutboundFile {
  const offer = { name: "offer.pdf", mimeType: "application/pdf", kind: "document" } as const;
  const url = { url: "https://files.example/offer.pdf", urlIsPublic: true, urlMimeType: "application/pdf" };
  return outboundFileOf("%PDF-1.4 content", { ...offer, ...url, ...more });
}

/** The message token is a string here, with all its digits; `written` converts it to the number that Viber sends. */
const samples = samplesIn(import.meta.dirname, (text) => parseBounded(text, 1_000));
export const { names: sampleNames, read: sample } = samples;

export function written(call: unknown): string {
  return (JSON.stringify(call) ?? "").replace(/("message_token":)"(\d+)"/, "$1$2");
}
