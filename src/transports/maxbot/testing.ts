import { readdirSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { createTestLink, type TestLink } from "../../core/transport/conformance.ts";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import type { InboundContext } from "./inbound.ts";

export const TOKEN = "f9LHodD0cOL-a-secret-of-the-tests-0000000000000000";
export const BOT_ID = "555000001";
/** The dialog of the bot and John, who is in the samples. */
export const DIALOG = "446543212";
export const GROUP = "-72345678901234";

export const CONTEXT: InboundContext = {
  self: { id: BOT_ID, name: "Shop bot" },
  now: new Date("2026-09-21T15:00:00Z"),
  titleOf: () => "Team",
};

export type MaxbotTestLink = TestLink<{ access_token: string }, { apiUrl: string; caFile: string }>;

export function linkTo(apiUrl: string, token = TOKEN, callbackUrl: string | null = null): MaxbotTestLink {
  return createTestLink({
    credentials: { access_token: token },
    settings: { apiUrl, caFile: "" },
    callbackUrl,
  });
}

/** Pauses so short that a test does not notice them. */
export const FAST = { firstPauseMs: 1, maxPauseMs: 2, checkMs: 1, readyMs: 1 };

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
    to: { chatType: "max", chatId: DIALOG },
    content: { type: "text", text: "hello" },
    ...more,
  };
}

export function fileMessage(file: Partial<OutboundFile> = {}): OutboundMessage {
  return textMessage({ content: { type: "file", file: outboundFile(file) } });
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

const SAMPLES = new URL("./samples/", import.meta.url);

export function sample(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`${name}.json`, SAMPLES), "utf8"));
}

export function sampleNames(): string[] {
  return readdirSync(SAMPLES).map((file) => file.replace(/\.json$/, ""));
}
