import {
  createTestAppLink,
  createTestLink,
  type TestAppLink,
  type TestLink,
} from "../../core/transport/conformance.ts";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import { outboundFileOf, samplesIn, textTo } from "../kit/testing.ts";
import { signedBy } from "../meta/testing.ts";
import type { InstagramCredentials, InstagramLink } from "./access.ts";
import { definition } from "./definition.ts";

export const ACCOUNT = "17841400000000001";
/** Ann's IGSID for the account. */
export const ANN = "1000000000000111";
const APP_SECRET = "appSecretOfTheTests0123";
export const CREDENTIALS: InstagramCredentials = {
  access_token: "IGAAtokenOfTheAccountInTests",
  account_id: ACCOUNT,
  username: "shop",
};

type Settings = InstagramLink["settings"];
export type InstagramTestLink = TestLink<InstagramCredentials, Settings>;

/** Settings with all of Meta's hosts at this URL, as the emulator serves them. */
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

/** Intervals short enough for tests. */
export const FAST = {
  firstPauseMs: 1,
  maxPauseMs: 2,
  checkMs: 600_000,
  reportMs: 600_000,
  renewMs: 30 * 24 * 60 * 60 * 1000,
};

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return textTo({ chatType: "instagram", chatId: ANN }, { quietMs: 1000, ...more });
}

export function fileMessage(
  file: Partial<OutboundFile> = {},
  more: Partial<OutboundMessage> = {},
): OutboundMessage {
  const photo = { name: "photo.jpg", mimeType: "image/jpeg", kind: "image" } as const;
  const url = { url: "https://files.example/photo.jpg", urlIsPublic: true };
  const outbound = outboundFileOf("file content", { ...photo, ...url, ...file });
  return textMessage({ content: { type: "file", file: outbound }, ...more });
}

export const { names: sampleNames, read: sample } = samplesIn(import.meta.dirname);

/** A webhook call signed as Meta signs it. */
export const signedCall = (body: unknown, secret = APP_SECRET) => signedBy(secret, body);

/** The app that these channels share. */
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
