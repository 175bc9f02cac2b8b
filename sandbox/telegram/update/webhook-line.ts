import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isRecord } from "../../http/fields.ts";
import type { WebhookConfig } from "../bot.ts";

/** The outcome of one delivery; without `error`, it was accepted. */
export interface Delivered {
  readonly status: number;
  readonly error?: string;
  readonly retryAfterSeconds: number;
  /** The method named in the response, in lower case; empty: none. */
  readonly method: string;
  readonly values: Readonly<Record<string, unknown>>;
}

const maxAnswerBytes = 1024 * 1024;

/**
 * Official server: methods that cannot be called in the response to a webhook, in addition to all that start with
 * `get`.
 */
const notInAnswers: ReadonlySet<string> = new Set(["deletewebhook", "setwebhook", "close", "logout"]);

/** The connections to one webhook address. */
export class WebhookLine {
  readonly #config: WebhookConfig;
  readonly #url: string;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #request: typeof httpRequest;

  constructor(config: WebhookConfig) {
    this.#url = config.url.includes("://") ? config.url : `https://${config.url}`;
    const secure = this.#url.startsWith("https:");
    const pool = { keepAlive: true, maxSockets: config.maxConnections };
    this.#config = config;
    this.#agent = secure
      ? new HttpsAgent({ ...pool, rejectUnauthorized: !config.hasCertificate })
      : new HttpAgent(pool);
    this.#request = secure ? httpsRequest : httpRequest;
  }

  /** Posts one update. Never rejects. */
  post(body: string, timeoutMs: number): Promise<Delivered> {
    return new Promise((resolve) => {
      const request = this.#request(this.#url, {
        method: "POST",
        agent: this.#agent,
        timeout: timeoutMs,
        headers: {
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(body),
          "Accept-Encoding": "identity",
          ...(this.#config.secret && { "X-Telegram-Bot-Api-Secret-Token": this.#config.secret }),
        },
      });
      request.on("response", (response) => void readAnswer(response).then(resolve));
      request.on("timeout", () => request.destroy(new Error("Read timeout expired")));
      request.on("error", (error) => resolve(failure(0, describe(error), 0)));
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function readAnswer(response: IncomingMessage): Promise<Delivered> {
  const status = response.statusCode ?? 0;
  let text: string;
  try {
    text = await readSome(response);
  } catch {
    return failure(status, "Connection closed", 0);
  }
  if (status < 200 || status > 299) {
    const retryAfter = Number.parseInt(response.headers["retry-after"] ?? "", 10);
    const reason = `Wrong response from the webhook: ${status} ${response.statusMessage ?? ""}`.trimEnd();
    return failure(status, reason, Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : 0);
  }
  const values = parseAnswer(text, response.headers["content-type"] ?? "");
  const method = String(values["method"] ?? "").toLowerCase();
  const allowed = !notInAnswers.has(method) && !method.startsWith("get");
  return { status, retryAfterSeconds: 0, method: allowed ? method : "", values };
}

async function readSome(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size <= maxAnswerBytes) chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}

/** https://core.telegram.org/bots/api#making-requests-when-getting-updates */
function parseAnswer(text: string, type: string): Readonly<Record<string, unknown>> {
  if (type.startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function failure(status: number, error: string, retryAfterSeconds: number): Delivered {
  return { status, error, retryAfterSeconds, method: "", values: {} };
}

function describe(error: Error & { readonly code?: string }): string {
  if (error.code === "ECONNREFUSED") return "Connection refused";
  if (error.code === "ECONNRESET") return "Connection reset by peer";
  if (error.code === "ENOTFOUND") return "Failed to resolve host: Name or service not known";
  return error.message;
}
