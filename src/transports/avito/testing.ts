import { createTestLink, type TestLink } from "../../core/transport/conformance.ts";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import type { SettingsOf } from "../../core/transport/definition.ts";
import { outboundFileOf, samplesIn, textTo } from "../kit/testing.ts";
import type { Timing } from "./channel.ts";
import type { AvitoDefinition } from "./definition.ts";
import type { AvitoCredentials } from "./linking/tokens.ts";

/** The account and the chat in the samples. */
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

/** Intervals short enough for tests. */
export const FAST: Timing = {
  firstPauseMs: 1,
  maxPauseMs: 2,
  checkMs: 20,
  pollMs: 20,
  firstReadMs: 10,
  holdMs: 1_500,
};

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return textTo({ chatType: "avito", chatId: CHAT }, more);
}

/** An outbound picture with these bytes. */
export function picture(bytes: Uint8Array, more: Partial<OutboundFile> = {}): OutboundFile {
  const photo = { name: "photo.png", mimeType: "image/png", kind: "image" } as const;
  return outboundFileOf(bytes, { ...photo, urlMimeType: "image/png", ...more });
}

export const { names: sampleNames, read: sample } = samplesIn(import.meta.dirname);
