import { readdirSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { createTestLink, type TestLink } from "../../core/transport/conformance.ts";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import type { SettingsOf } from "../../core/transport/definition.ts";
import type { Timing } from "./channel.ts";
import type { AvitoDefinition } from "./definition.ts";
import type { AvitoCredentials } from "./tokens.ts";

/** The account and the chat of the samples. */
export const USER = "94235311";
export const CHAT = "u2i-edoS30kaZhxk~xihAdJ8Ow";
export const TOKEN = "an-access-token-of-the-tests-0000";
const REFRESH = "a-refresh-token-of-the-tests-0000";
export const SECRET = "a-client-secret-of-the-tests-0000";

export type AvitoTestLink = TestLink<AvitoCredentials, SettingsOf<AvitoDefinition>>;

export const CREDENTIALS: AvitoCredentials = {
  user_id: USER,
  access_token: TOKEN,
  refresh_token: REFRESH,
  expires_at: "2099-01-01T00:00:00.000Z",
};

export function settingsOf(url: string): SettingsOf<AvitoDefinition> {
  return { apiUrl: url, consentUrl: url, clientId: "the-client-of-the-tests", clientSecret: SECRET };
}

export function linkTo(
  url: string,
  { callbackUrl = null, ...more }: Partial<AvitoCredentials> & { readonly callbackUrl?: string | null } = {},
): AvitoTestLink {
  return createTestLink({ credentials: { ...CREDENTIALS, ...more }, settings: settingsOf(url), callbackUrl });
}

/** Pauses so short that a test does not notice them. */
export const FAST: Timing = { firstPauseMs: 1, maxPauseMs: 2, checkMs: 20, pollMs: 20, firstReadMs: 10 };

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
    to: { chatType: "avito", chatId: CHAT },
    content: { type: "text", text: "hello" },
    ...more,
  };
}

/** A picture with these bytes. */
export function picture(bytes: Uint8Array, more: Partial<OutboundFile> = {}): OutboundFile {
  return {
    url: "http://files.internal/p/photo.png",
    urlIsPublic: false,
    urlMimeType: "image/png",
    name: "photo.png",
    mimeType: "image/png",
    kind: "image",
    size: bytes.length,
    open: () => Readable.from([bytes]),
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
