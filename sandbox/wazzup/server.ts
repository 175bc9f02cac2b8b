import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { answerJson, type Exchange, openExchange, readBody } from "../http/exchange.ts";
import { closeServer, listen } from "../http/listen.ts";
import { type HostedAccount, type HostedMessage, idOf } from "./account.ts";
import { type DumpRequest, dumpText } from "./dump.ts";

export interface HostedOptions {
  readonly account: HostedAccount;
  readonly port?: number;
  /** Requests of the account in a window; the interface's are 1000 a minute. */
  readonly limit?: number;
  readonly windowMs?: number;
  /** How often the status of a dump is asked until it is ready. */
  readonly pollsPerDump?: number;
}

/** The emulated hosted service. */
export interface HostedService {
  /** Base of `/v2` and `/v3`. */
  readonly url: string;
  readonly account: HostedAccount;
  /** The requests that were carried out, such as `GET /v3/users`. */
  readonly requests: string[];
  /** Requests beyond the limit. */
  refused: number;
  /**
   * This many of the next requests fail: with this status, or with a broken connection for 0. `page`: what is sent
   * instead of JSON.
   */
  fail(count: number, status: number, page?: string): void;
  /** Where webhooks go. */
  readonly webhooks: { webhooksUri: string; subscriptions: Record<string, boolean> };
  readonly subscriptions: { readonly id: string; readonly url: string; readonly event: string }[];
  /** Files of messages by name, served as pictures at `/content/{name}`. */
  readonly contents: Map<string, Buffer>;
  /** A customer writes: the message is in later dumps, and is sent to `webhooksUri`. */
  receive(message: Omit<HostedMessage, "messageId">): Promise<void>;
  close(): Promise<void>;
}

const PAGE = 100;
const MAX_URI_LENGTH = 200;
const MAX_BODY = 1024 * 1024;

type Answer = readonly [status: number, body: unknown];
type Body = Readonly<Record<string, unknown>>;

/** Starts the service with one account, as its interface describes it. */
export async function startHosted(options: HostedOptions): Promise<HostedService> {
  const hosted = new Hosted(options);
  const server = createServer((request, response) => {
    hosted.serve(openExchange(request, response)).catch(() => response.destroy());
  });
  const port = await listen(server, "127.0.0.1", options.port ?? 0);
  hosted.url = `http://127.0.0.1:${port}`;
  hosted.close = () => closeServer(server);
  return hosted;
}

interface Job extends DumpRequest {
  polls: number;
  readonly key: string;
}

class Hosted implements HostedService {
  url = "";
  close: () => Promise<void> = async () => undefined;
  readonly account: HostedAccount;
  readonly requests: string[] = [];
  refused = 0;
  webhooks: HostedService["webhooks"] = {
    webhooksUri: "",
    subscriptions: {
      messagesAndStatuses: false,
      contactsAndDealsCreation: false,
      channelsUpdates: false,
      templateStatus: false,
    },
  };
  subscriptions: HostedService["subscriptions"] = [];
  readonly contents = new Map<string, Buffer>();
  readonly #options: HostedOptions;
  readonly #jobs = new Map<string, Job>();
  #window = { startedAt: 0, count: 0 };
  #failures: { readonly status: number; readonly page: string }[] = [];

  constructor(options: HostedOptions) {
    this.#options = options;
    this.account = options.account;
  }

  fail(count: number, status: number, page = ""): void {
    this.#failures = Array.from({ length: count }, () => ({ status, page }));
  }

  async receive(message: Omit<HostedMessage, "messageId">): Promise<void> {
    const { account, webhooks } = this;
    const messageId = idOf(`received ${account.messages.length} ${message.text}`);
    account.messages.push({ ...message, messageId });
    if (webhooks.webhooksUri === "" || webhooks.subscriptions["messagesAndStatuses"] !== true) return;
    const { channelId, chatType, chatId, dateTime, type, status, text, contact } = message;
    const item = { messageId, channelId, chatType, chatId, dateTime, type, status, text, isEcho: false };
    await post(webhooks.webhooksUri, { messages: [{ ...item, contact: { name: contact } }] });
  }

  async serve(exchange: Exchange): Promise<void> {
    const { method, path, response } = exchange;
    if (path.startsWith("/dumps/")) return this.#sendDump(exchange);
    if (path.startsWith("/content/")) return this.#sendContent(exchange);
    const failure = this.#failures.pop();
    if (failure?.status === 0) return void response.destroy();
    if (failure !== undefined)
      return void response.writeHead(failure.status, { "Content-Type": "text/html" }).end(failure.page);
    if (!this.#isWithinLimit()) {
      response.setHeader("Retry-After", String(this.#secondsToReset()));
      return answerJson(exchange, 429, { error: "TOO_MANY_REQUESTS", description: "Too many requests" });
    }
    const refusal = this.#refusal(exchange);
    if (refusal !== null) return answerJson(exchange, ...refusal);
    this.requests.push(`${method} ${path}`);
    const [status, body] = await this.#answer(exchange, await bodyOf(exchange));
    // The one answer that is no JSON.
    if (typeof body === "string") response.writeHead(status, { "Content-Type": "text/plain" }).end(body);
    else answerJson(exchange, status, body);
  }

  #isWithinLimit(): boolean {
    const { limit = 1_000, windowMs = 60_000 } = this.#options;
    const now = Date.now();
    if (now - this.#window.startedAt >= windowMs) this.#window = { startedAt: now, count: 0 };
    this.#window.count += 1;
    if (this.#window.count <= limit) return true;
    this.refused += 1;
    return false;
  }

  #secondsToReset(): number {
    const { windowMs = 60_000 } = this.#options;
    return Math.max(1, Math.ceil((this.#window.startedAt + windowMs - Date.now()) / 1_000));
  }

  #refusal({ request, path }: Exchange): Answer | null {
    const { apiKey, sidecarKey, token } = this.account;
    const key = request.headers.authorization?.replace(/^Bearer /, "");
    const known = path.startsWith("/v2/") ? [token] : [apiKey, sidecarKey];
    if (key === undefined || !known.includes(key))
      return [401, { error: "INVALID_APIKEY", description: "Invalid authorization header" }];
    const isOpen = /^\/v3\/(channels|message|webhooks|templates)(\/|$)/.test(path);
    return key === sidecarKey && !isOpen ? [403, { error: "FORBIDDEN", description: "Sidecar key" }] : null;
  }

  async #answer({ method, path, query }: Exchange, body: Body): Promise<Answer> {
    const { account } = this;
    const parameters = new URLSearchParams(query);
    const exportId = /^\/v2\/messages\/messages_dump\/([^/]+)$/.exec(path)?.[1];
    if (method === "GET" && exportId !== undefined) return this.#dumpStatus(exportId);
    switch (`${method} ${path}`) {
      case "GET /v3/users":
        return [200, account.users];
      case "GET /v3/contacts":
        return [200, pageOf(account.contacts, parameters)];
      case "GET /v3/deals":
        return [200, pageOf(account.deals, parameters)];
      case "GET /v3/pipelines":
        return [200, account.pipelines];
      case "GET /v3/templates/whatsapp":
        return [200, sliceOf(account.templates, parameters)];
      case "GET /v3/channels":
        return [200, account.channels.map(v3Channel)];
      case "GET /v3/webhooks":
        return [200, this.webhooks];
      case "PATCH /v3/webhooks":
        return this.#setWebhooks(body);
      case "GET /v2/channels":
        return enveloped(
          account.channels.map((channel) => ({
            ...channel,
            state: "active",
            status: "active",
            reason: null,
          })),
        );
      case "GET /v2/templates/wz":
        return enveloped(account.cannedAnswers);
      case "GET /v2/webhooks":
        return enveloped(this.subscriptions);
      case "DELETE /v2/webhooks":
        return this.#unsubscribe(body);
      case "POST /v2/messages/messages_dump":
        return this.#requestDump(body);
      default:
        return [404, { error: "NOT_FOUND", description: "There is no such route" }];
    }
  }

  async #setWebhooks({ webhooksUri, subscriptions }: Body): Promise<Answer> {
    if (typeof webhooksUri === "string" && webhooksUri !== "") {
      if (!URL.canParse(webhooksUri) || webhooksUri.length > MAX_URI_LENGTH)
        return [400, { error: "uriNotValid", description: "Provided URI is not valid URI" }];
      const status = await post(webhooksUri, { test: true });
      if (status !== 200)
        return [
          400,
          {
            error: "testPostNotPassed",
            description: "URI does not return 200 OK on test request",
            data: { status },
          },
        ];
    }
    this.webhooks = {
      webhooksUri: typeof webhooksUri === "string" ? webhooksUri : this.webhooks.webhooksUri,
      subscriptions: {
        ...this.webhooks.subscriptions,
        ...(subscriptions as Record<string, boolean> | undefined),
      },
    };
    return [200, "OK"];
  }

  #unsubscribe({ data }: Body): Answer {
    const ids = (Array.isArray(data) ? data : []).map(({ id }: { readonly id: string }) => id);
    this.subscriptions = this.subscriptions.filter(({ id }) => !ids.includes(id));
    return enveloped(null);
  }

  #requestDump({ start_at: start, end_at: end, channel_id: channelId }: Body): Answer {
    const [startAt, endAt] = [Date.parse(String(start)), Date.parse(String(end))];
    if (Number.isNaN(startAt) || Number.isNaN(endAt))
      return [400, { error: "VALIDATION_ERROR", description: "start_at and end_at are required" }];
    if (channelId !== undefined && !this.account.channels.some((channel) => channel.channel_id === channelId))
      return [404, { error: "CHANNEL_NOT_FOUND", description: "There is no such channel" }];
    const exportId = idOf(`export ${this.#jobs.size}`);
    const polls = this.#options.pollsPerDump ?? 0;
    const key = randomBytes(16).toString("hex");
    this.#jobs.set(exportId, { startAt, endAt, channelId: channelId as string | undefined, polls, key });
    return enveloped({ status: "pending", export_id: exportId });
  }

  #dumpStatus(exportId: string): Answer {
    const job = this.#jobs.get(exportId);
    if (job === undefined)
      return [404, { error: "EXPORT_NOT_FOUND", description: "There is no such export" }];
    job.polls -= 1;
    if (job.polls >= 0) return enveloped({ status: "processing", url: null });
    return enveloped({ status: "done", url: `${this.url}/dumps/${job.key}.csv` });
  }

  /** Links to files of messages need no key. */
  #sendContent({ path, response }: Exchange): void {
    const content = this.contents.get(path.slice("/content/".length));
    if (content === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "Content-Type": "image/png" }).end(content);
  }

  async #sendDump({ path, response }: Exchange): Promise<void> {
    const job = [...this.#jobs.values()].find(({ key }) => path === `/dumps/${key}.csv`);
    if (job === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": "text/csv; charset=utf-8" });
    await pipeline(Readable.from(dumpText(this.account, job)), response);
  }
}

function enveloped(data: unknown): Answer {
  return [200, { data, meta: { timestamp: Math.floor(Date.now() / 1_000) } }];
}

function pageOf(all: readonly object[], parameters: URLSearchParams): object {
  const offset = Number(parameters.get("offset") ?? 0);
  return { count: all.length, data: all.slice(offset, offset + PAGE) };
}

function sliceOf(all: readonly object[], parameters: URLSearchParams): readonly object[] {
  const offset = Number(parameters.get("offset") ?? 0);
  return all.slice(offset, offset + Number(parameters.get("limit") ?? PAGE));
}

function v3Channel({
  channel_id: channelId,
  transport,
  name,
  phone,
}: HostedAccount["channels"][number]): object {
  return { channelId, transport, plainId: phone, state: "active", name };
}

async function bodyOf({ request }: Exchange): Promise<Body> {
  const text = (await readBody(request, MAX_BODY)).toString("utf8");
  const body: unknown = text === "" ? {} : JSON.parse(text);
  return typeof body === "object" && body !== null ? (body as Body) : {};
}

async function post(url: string, body: object): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json; charset=utf-8" },
    body: JSON.stringify(body),
  }).catch(() => null);
  await response?.body?.cancel();
  return response?.status ?? 0;
}
