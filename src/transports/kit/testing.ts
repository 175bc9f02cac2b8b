import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";

export interface ApiReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as is, anything else as JSON. */
  readonly body: unknown;
}

export interface ApiRequest {
  /** The call's name as `callOf` returns it, such as `POST /me/messages`. */
  readonly call: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage["headers"];
  /** Parsed JSON, or the fields of a form. */
  readonly body: unknown;
  /** Uploaded form parts by field name. */
  readonly files: Readonly<
    Record<string, { readonly name: string; readonly type: string; readonly text: string }>
  >;
}

/** A fake HTTP API with prepared replies. A call without a prepared reply, or an unused reply, fails the test. */
export interface FakeApi {
  readonly url: string;
  readonly requests: ApiRequest[];
  /** Queues the next replies to a call. */
  on(call: string, ...replies: readonly ApiReply[]): void;
  /** Sets the reply for calls without a queued one; `null` leaves the call unanswered. */
  always(call: string, reply: ApiReply | null): void;
  /** Resolves with the nth request of a call, counting from 1. */
  request(call: string, nth?: number): Promise<ApiRequest>;
  /** Stops the server. Returns the problems found: unexpected calls and unused replies. */
  finish(): Promise<string[]>;
}

export interface FakeApiOptions {
  /** Names a call. Default: the method and the path without the query. Ignored for requests that `serve` handles. */
  callOf?(request: { readonly method: string; readonly path: string }): string;
  /** Serves a request that is not an API call, such as a file. Returns whether it did. */
  serve?(incoming: IncomingMessage, response: ServerResponse): boolean;
}

export async function startFakeApi(options: FakeApiOptions = {}): Promise<FakeApi> {
  const { callOf = ({ method, path }) => `${method} ${path}`, serve = () => false } = options;
  const replies = new Map<string, ApiReply[]>();
  const constant = new Map<string, ApiReply | null>();
  const requests: ApiRequest[] = [];
  const problems: string[] = [];
  const arrivals = new Set<() => void>();

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (serve(incoming, response)) return;
    const { pathname, searchParams } = new URL(incoming.url ?? "", "http://x");
    const call = callOf({ method: incoming.method ?? "", path: pathname });
    const query = Object.fromEntries(searchParams);
    requests.push({ call, query, headers: incoming.headers, ...(await readBody(incoming)) });
    for (const notify of arrivals) notify();
    const reply = replies.get(call)?.shift() ?? constant.get(call);
    if (reply === null) return;
    if (reply === undefined) problems.push(`unexpected ${call}`);
    const { status = 200, headers = {}, body } = reply ?? { status: 500, body: "no reply prepared" };
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
    on: (call, ...laidOut) => void replies.set(call, [...(replies.get(call) ?? []), ...laidOut]),
    always: (call, reply) => void constant.set(call, reply),
    request: (call, nth = 1) =>
      new Promise((resolve) => {
        const notify = (): void => {
          const found = requests.filter((each) => each.call === call)[nth - 1];
          if (found === undefined) return;
          arrivals.delete(notify);
          resolve(found);
        };
        arrivals.add(notify);
        notify();
      }),
    async finish() {
      server.closeAllConnections();
      server.close();
      const unused = [...replies].flatMap(([call, rest]) => rest.map(() => `unused reply to ${call}`));
      return [...problems, ...unused];
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<Pick<ApiRequest, "body" | "files">> {
  const stream = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
  const type = incoming.headers["content-type"] ?? "";
  const message = new Response(stream, { headers: { "content-type": type } });
  if (type.startsWith("application/x-www-form-urlencoded"))
    return { body: Object.fromEntries(new URLSearchParams(await message.text())), files: {} };
  if (!type.startsWith("multipart/")) {
    const text = await message.text();
    return { body: text === "" ? undefined : JSON.parse(text), files: {} };
  }
  const parts = [...(await message.formData())];
  const uploads = parts.filter((part): part is [string, File] => part[1] instanceof File);
  const files = uploads.map(async ([field, file]) => {
    return [field, { name: file.name, type: file.type, text: await file.text() }] as const;
  });
  return {
    body: Object.fromEntries(parts.filter(([, value]) => typeof value === "string")),
    files: Object.fromEntries(await Promise.all(files)),
  };
}

/** Captured payloads of a messenger, one per file, in the folder `samples` beside the connector's tests. */
export interface Samples<T> {
  names(): string[];
  read(name: string): T;
}

export function samplesIn<T = unknown>(folder: string, parse: (text: string) => T = JSON.parse): Samples<T> {
  const samples = join(folder, "samples");
  return {
    names: () => readdirSync(samples).map((file) => file.replace(/\.json$/, "")),
    read: (name) => parse(readFileSync(join(samples, `${name}.json`), "utf8")),
  };
}

/** An outbound text message to `to`, as core passes it to a session. */
export function textTo(to: OutboundMessage["to"], more: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
    to,
    content: { type: "text", text: "hello" },
    ...more,
  };
}

/**
 * An outbound file with these bytes, as core passes it to a session. Its URL is private by default; the stream has
 * two chunks.
 */
export function outboundFileOf(
  content: string | Uint8Array,
  about: Pick<OutboundFile, "name" | "mimeType" | "kind"> & Partial<OutboundFile>,
): OutboundFile {
  const bytes = Buffer.from(content);
  return {
    url: `http://files.internal/p/${about.name}`,
    urlIsPublic: false,
    urlMimeType: about.mimeType,
    size: bytes.length,
    open: () => Readable.from([bytes.subarray(0, 4), bytes.subarray(4)]),
    ...about,
  };
}
