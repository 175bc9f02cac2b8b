import { answerJson, BodyTooLarge, type Exchange, readBody } from "./exchange.ts";
import { AdminError, Fields, isRecord } from "./fields.ts";

/** 80 MB: a file of 50 MB in base64, and some room. */
const maxAdminBodyBytes = 80 * 1024 * 1024;

/** Arguments of an admin handler. `params` are the `{names}` of the pattern. */
export interface AdminCall {
  readonly params: Fields;
  readonly query: Fields;
  readonly body: Fields;
  /** Aborted when the caller disconnects; waits end with it. */
  readonly signal: AbortSignal;
}

/** Returns a JSON value (status 200; 201 for a POST that returns through `created`). */
export type AdminHandler = (call: AdminCall) => unknown;

/** One admin route: a method, a pattern such as `/bots/{bot_id}/sent`, and its handler. */
export type AdminRoute = readonly [method: string, pattern: string, handler: AdminHandler];

interface Compiled {
  readonly method: string;
  readonly parts: readonly string[];
  readonly handler: AdminHandler;
}

/** Finds the route of an admin request, runs it and responds; every error is `{error, description}`. */
export class AdminRouter {
  readonly #routes: readonly Compiled[];

  constructor(routes: readonly AdminRoute[]) {
    this.#routes = routes.map(([method, pattern, handler]) => ({
      method,
      parts: pattern.split("/").slice(1),
      handler,
    }));
  }

  /** `path` is the part below the router's own address, starting with `/` or empty. */
  async serve(exchange: Exchange, path: string): Promise<void> {
    try {
      const { handler, params } = this.#find(exchange.method, path);
      const call = { params, query: parseQuery(exchange.query), ...(await openCall(exchange)) };
      answerJson(exchange, 200, (await handler(call)) ?? {});
    } catch (error) {
      answerError(exchange, error);
    }
  }

  #find(method: string, path: string): { handler: AdminHandler; params: Fields } {
    const parts = (path === "" ? "/" : path).split("/").slice(1).map(decodeURIComponent);
    const allowed = new Set<string>();
    for (const route of this.#routes) {
      const params = match(route.parts, parts);
      if (!params) continue;
      if (route.method === method) return { handler: route.handler, params: new Fields(params) };
      allowed.add(route.method);
    }
    if (allowed.size === 0) throw new AdminError(404, "unknown_route", `there is no route ${method} ${path}`);
    throw new AdminError(405, "method_not_allowed", `${path} answers ${[...allowed].join(", ")}`);
  }
}

function match(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? "";
    if (expected.startsWith("{")) params[expected.slice(1, -1)] = part;
    else if (expected !== part) return undefined;
  }
  return params;
}

function parseQuery(query: string): Fields {
  return new Fields(Object.fromEntries(new URLSearchParams(query)));
}

async function openCall(exchange: Exchange): Promise<{ body: Fields; signal: AbortSignal }> {
  const hangUp = new AbortController();
  exchange.response.on("close", () => hangUp.abort());
  const bytes = await readBody(exchange.request, maxAdminBodyBytes);
  if (bytes.length === 0) return { body: new Fields({}), signal: hangUp.signal };
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString());
  } catch {
    throw new AdminError(400, "invalid_json", "the body is not JSON");
  }
  if (!isRecord(parsed)) throw new AdminError(400, "invalid_json", "the body must be a JSON object");
  return { body: new Fields(parsed), signal: hangUp.signal };
}

function answerError(exchange: Exchange, error: unknown): void {
  if (error instanceof AdminError) {
    answerJson(exchange, error.status, { error: error.code, description: error.message });
  } else if (error instanceof BodyTooLarge) {
    answerJson(exchange, 413, { error: "too_large", description: error.message });
  } else if (error instanceof URIError) {
    answerJson(exchange, 400, { error: "invalid_path", description: "the path is not well encoded" });
  } else {
    const description = error instanceof Error ? error.message : String(error);
    answerJson(exchange, 500, { error: "internal", description });
  }
}
