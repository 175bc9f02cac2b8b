import { readdirSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { createTestLink, type TestLink } from "../../core/transport/conformance.ts";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import { TIMING, type Timing } from "./timing.ts";

/** The account in the samples, and the person who writes to it. */
export const SELF = "700000001";
export const ANN = "446543212";
export const GROUP = "-4812345678";
export const SUPERGROUP = "-1001987654321";

/** Intervals short enough for tests. */
export const FAST: Timing = {
  ...TIMING,
  callMs: 10_000,
  lostMs: 50,
  historyPauseMs: 1,
  firstPauseMs: 20,
  isHasty: true,
};

interface Settings {
  readonly apiId: string;
  readonly apiHash: string;
  readonly dataCentre: string;
  readonly serverKey: string;
}

export const settingsFor = (dataCentre: string, serverKey = ""): Settings => ({
  apiId: "12345",
  apiHash: "0123456789abcdef0123456789abcdef",
  dataCentre,
  serverKey,
});

export function linkTo(dataCentre: string, serverKey = ""): TestLink<Record<string, never>, Settings> {
  return createTestLink({ credentials: {}, settings: settingsFor(dataCentre, serverKey) });
}

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
    to: { chatType: "telegram", chatId: ANN },
    content: { type: "text", text: "hello" },
    ...more,
  };
}

export function fileMessage(file: Partial<OutboundFile> = {}): OutboundMessage {
  return textMessage({ content: { type: "file", file: outboundFile(file) } });
}

/** A PDF by default. */
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
