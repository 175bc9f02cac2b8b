import { createTestLink, type TestLink } from "../../core/transport/conformance.ts";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import { outboundFileOf, samplesIn, textTo } from "../kit/testing.ts";
import type { InboundContext } from "./context.ts";

export const TOKEN = "f9LHodD0cOL-a-secret-of-the-tests-0000000000000000";
export const BOT_ID = "555000001";
/** The dialog between the bot and John, who appears in the samples. */
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

/** Intervals short enough for tests. */
export const FAST = { firstPauseMs: 1, maxPauseMs: 2, checkMs: 1, readyMs: 1 };

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return textTo({ chatType: "max", chatId: DIALOG }, more);
}

export function fileMessage(file: Partial<OutboundFile> = {}): OutboundMessage {
  return textMessage({ content: { type: "file", file: outboundFile(file) } });
}

/** A PDF with a private URL by default. */
export function outboundFile(more: Partial<OutboundFile> = {}): OutboundFile {
  const offer = { name: "offer.pdf", mimeType: "application/pdf", kind: "document" } as const;
  return outboundFileOf("%PDF-1.4 content", { ...offer, urlMimeType: "application/pdf", ...more });
}

export const { names: sampleNames, read: sample } = samplesIn(import.meta.dirname);

/** A sample whose message has these fields. */
export function changed(name: string, fields: object): Readonly<Record<string, unknown>> {
  const raw = sample(name) as { readonly message: object };
  return { ...raw, message: { ...raw.message, ...fields } };
}
