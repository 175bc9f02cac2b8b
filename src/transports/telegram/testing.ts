import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { Update } from "@grammyjs/types";
import { createTestLink, type TestLink } from "../../core/transport/conformance.ts";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";

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

export interface ApiReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface ApiRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The uploaded part `file`. */
  readonly file?: { readonly name: string; readonly type: string; readonly text: string };
}

/** A Bot API with answers laid out beforehand. A call without one fails the test, and so does an unused answer. */
export interface FakeBotApi {
  readonly url: string;
  readonly requests: ApiRequest[];
  /** Lays out the next answer of a method. */
  on(method: string, ...replies: readonly ApiReply[]): void;
  /** Resolves with the nth request of a method, counted from 1. */
  request(method: string, nth?: number): Promise<ApiRequest>;
  /** Stops, and answers what did not go as laid out. */
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

/** `getUpdates` without an answer is held open, as Telegram does. `files` are served under their paths. */
export async function startFakeBotApi(files: Readonly<Record<string, string>> = {}): Promise<FakeBotApi> {
  const replies = new Map<string, ApiReply[]>();
  const requests: ApiRequest[] = [];
  const problems: string[] = [];
  const arrivals = new Set<() => void>();

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? "";
    const filePath = path.startsWith(`/file/bot${TOKEN}/`)
      ? decodeURIComponent(path.slice(`/file/bot${TOKEN}/`.length))
      : undefined;
    if (filePath !== undefined) {
      const file = files[filePath];
      if (file !== undefined) return void response.end(file);
      const { status = 404, body } = refuse(404, "Not Found");
      return void response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(body));
    }
    const method = path.startsWith(`/bot${TOKEN}/`) ? path.slice(`/bot${TOKEN}/`.length) : path;
    requests.push(await readRequest(method, incoming));
    for (const notify of arrivals) notify();
    const reply = replies.get(method)?.shift();
    if (reply === undefined && method === "getUpdates") return;
    if (reply === undefined) problems.push(`unexpected ${method}`);
    const { status = 200, headers = {}, body } = reply ?? refuse(500, "Internal Server Error: not laid out");
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      problems.push(String(error));
      response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    on(method, ...laidOut) {
      replies.set(method, [...(replies.get(method) ?? []), ...laidOut]);
    },
    request(method, nth = 1) {
      const find = (): ApiRequest | undefined => requests.filter((each) => each.method === method)[nth - 1];
      return new Promise((resolve) => {
        const notify = (): void => {
          const found = find();
          if (found === undefined) return;
          arrivals.delete(notify);
          resolve(found);
        };
        arrivals.add(notify);
        notify();
      });
    },
    async finish() {
      server.closeAllConnections();
      server.close();
      const unused = [...replies].flatMap(([method, rest]) => rest.map(() => `unused answer of ${method}`));
      return [...problems, ...unused];
    },
  };
}

async function readRequest(method: string, incoming: IncomingMessage): Promise<ApiRequest> {
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
  const type = incoming.headers["content-type"] ?? "";
  const message = new Response(body, { headers: { "content-type": type } });
  if (!type.startsWith("multipart/"))
    return { method, params: (await message.json()) as Record<string, unknown> };
  const form = await message.formData();
  const file = form.get("file");
  const fields = [...form].filter(([name]) => name !== "file");
  const params = Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));
  if (!(file instanceof Blob)) return { method, params };
  return { method, params, file: { name: file.name, type: file.type, text: await file.text() } };
}

export type TelegramTestLink = TestLink<{ telegram_token: string }, { apiUrl: string }>;

export function linkTo(apiUrl: string, callbackUrl: string | null = null): TelegramTestLink {
  return createTestLink({ credentials: { telegram_token: TOKEN }, settings: { apiUrl }, callbackUrl });
}

/** Pauses so short that a test does not notice them. */
export const FAST = { firstPauseMs: 1, maxPauseMs: 2, checkMs: 1 };

export function textMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
    to: { chatType: "telegram", chatId: "111" },
    content: { type: "text", text: "hello" },
    ...more,
  };
}

export function fileMessage(
  file: Partial<OutboundFile> = {},
  more: Partial<OutboundMessage> = {},
): OutboundMessage {
  return textMessage({ content: { type: "file", file: outboundFile(file) }, ...more });
}

/** A private jpeg unless told otherwise; what it streams is its name, padded to its size when that is small. */
export function outboundFile(more: Partial<OutboundFile> = {}): OutboundFile {
  const bytes = Buffer.from("file content");
  return {
    url: "http://files.internal/p/photo.jpg",
    urlIsPublic: false,
    urlMimeType: "image/jpeg",
    name: "photo.jpg",
    mimeType: "image/jpeg",
    kind: "image",
    size: bytes.length,
    open: () => Readable.from([bytes.subarray(0, 4), bytes.subarray(4)]),
    ...more,
  };
}

const SAMPLES = new URL("./samples/", import.meta.url);

export function sample(name: string): Update {
  return JSON.parse(readFileSync(new URL(`${name}.json`, SAMPLES), "utf8")) as Update;
}

export function sampleNames(): string[] {
  return readdirSync(SAMPLES).map((file) => file.replace(/\.json$/, ""));
}
