import type { Update } from "@grammyjs/types";
import { createTestLink, type TestLink } from "../../core/transport/conformance.ts";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import {
  type ApiReply,
  type ApiRequest,
  outboundFileOf,
  samplesIn,
  startFakeApi,
  textTo,
} from "../kit/testing.ts";

export const TOKEN_SECRET = "AAFsecretOfTheBotInTests_-x";
export const TOKEN = `123456:${TOKEN_SECRET}`;
export const BOT = { id: 123456, is_bot: true, first_name: "Shop", username: "shop_bot" };
export const PROFILE = {
  messengerId: "123456",
  name: "Shop",
  username: "shop_bot",
  phone: "shop_bot",
  url: "https://t.me/shop_bot",
};

interface BotRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The uploaded form part `file`. */
  readonly file?: { readonly name: string; readonly type: string; readonly text: string };
}

/** A fake Bot API with prepared replies. A call without a prepared reply, or an unused reply, fails the test. */
export interface FakeBotApi {
  readonly url: string;
  readonly requests: readonly BotRequest[];
  /** Queues the next replies to a method. */
  on(method: string, ...replies: readonly ApiReply[]): void;
  /** Resolves with the nth request of a method, counting from 1. */
  request(method: string, nth?: number): Promise<BotRequest>;
  /** Stops the server. Returns the problems found: unexpected calls and unused replies. */
  finish(): Promise<string[]>;
}

export const ok = (result: unknown): ApiReply => ({ body: { ok: true, result } });

export function refuse(status: number, description: string, parameters?: object): ApiReply {
  return { status, body: { ok: false, error_code: status, description, ...(parameters && { parameters }) } };
}

export function sentMessage(messageId: number, chatId = 111): ApiReply {
  return ok({
    message_id: messageId,
    from: BOT,
    chat: { id: chatId, type: "private", first_name: "Ann" },
    date: 1790000200,
  });
}

/** A `getUpdates` call without a queued reply stays open, as on Telegram. `files` are served under their paths. */
export async function startFakeBotApi(files: Readonly<Record<string, string>> = {}): Promise<FakeBotApi> {
  const api = await startFakeApi({
    callOf: ({ path }) => (path.startsWith(CALLS) ? path.slice(CALLS.length) : path),
    serve({ url = "" }, response) {
      if (!url.startsWith(FILES)) return false;
      const file = files[decodeURIComponent(url.slice(FILES.length))];
      if (file === undefined) response.writeHead(404).end(JSON.stringify(refuse(404, "Not Found").body));
      else response.end(file);
      return true;
    },
  });
  api.always("getUpdates", null);
  return {
    url: api.url,
    get requests() {
      return api.requests.map(toRequest);
    },
    on: api.on,
    request: async (method, nth) => toRequest(await api.request(method, nth)),
    finish: api.finish,
  };
}

const CALLS = `/bot${TOKEN}/`;
const FILES = `/file/bot${TOKEN}/`;

function toRequest({ call: method, body, files: { file } }: ApiRequest): BotRequest {
  return { method, params: (body ?? {}) as BotRequest["params"], ...(file && { file }) };
}

export type TelegramTestLink = TestLink<{ telegram_token: string }, { apiUrl: string }>;

export function linkTo(apiUrl: string, callbackUrl: string | null = null): TelegramTestLink {
  return createTestLink({ credentials: { telegram_token: TOKEN }, settings: { apiUrl }, callbackUrl });
}

/** Intervals short enough for tests. */
export const FAST = { firstPauseMs: 1, maxPauseMs: 2, checkMs: 1 };

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return textTo({ chatType: "telegram", chatId: "111" }, more);
}

export function fileMessage(
  file: Partial<OutboundFile> = {},
  more: Partial<OutboundMessage> = {},
): OutboundMessage {
  return textMessage({ content: { type: "file", file: outboundFile(file) }, ...more });
}

/** A JPEG with a private URL by default. */
export function outboundFile(more: Partial<OutboundFile> = {}): OutboundFile {
  const photo = { name: "photo.jpg", mimeType: "image/jpeg", kind: "image" } as const;
  return outboundFileOf("file content", { ...photo, urlMimeType: "image/jpeg", ...more });
}

export const { names: sampleNames, read: sample } = samplesIn<Update>(import.meta.dirname);
