import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { SandboxOptions } from "../server.ts";
import type { Json } from "../test-kit.ts";
import { adminOf, inSandbox } from "../test-kit.ts";
import { demo } from "./demo.ts";

/** A response of the Graph API or of the admin API. */
interface GraphAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** How a call differs from the default. */
interface Variation {
  /** Null: without a token. */
  readonly token?: string | null;
}

/** A sandbox with the demo account, and helpers for tests. */
export interface WapiKit {
  readonly url: string;
  /** The base address for Graph API clients. */
  readonly base: string;
  readonly graph: (route: string, body?: object, how?: Variation) => Promise<GraphAnswer>;
  /** A call that must succeed; returns the body. */
  readonly ok: (route: string, body?: object) => Promise<Json>;
  /** A call that must fail: `400 (#131009) Parameter value is not valid | details`. */
  readonly refused: (route: string, body?: object, how?: Variation) => Promise<string>;
  /** Sends a message of the demo number to Ann: returns its id. */
  readonly send: (message: object) => Promise<string>;
  /** An admin request that must succeed, e.g. `admin("POST /faults", {...})`. */
  readonly admin: (route: string, body?: object) => Promise<Json>;
  /** Ann performs an action, for example `ann("messages", {...})`. */
  readonly ann: (action: string, body?: object) => Promise<Json>;
}

/** The paths of the demo number. */
export const paths = {
  number: `/v23.0/${demo.numberId}`,
  messages: `/v23.0/${demo.numberId}/messages`,
  media: `/v23.0/${demo.numberId}/media`,
  waba: `/v23.0/${demo.wabaId}`,
  templates: `/v23.0/${demo.wabaId}/message_templates`,
  subscribedApps: `/v23.0/${demo.wabaId}/subscribed_apps`,
} as const;

/** A text to Ann. */
export const hello = {
  messaging_product: "whatsapp",
  to: demo.user,
  type: "text",
  text: { body: "Hello" },
} as const;

/** Runs a test with its own sandbox, which is closed even if the test fails. */
export async function withWapi(
  run: (kit: WapiKit) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  await inSandbox((url) => run(openKit(url)), options);
}

function openKit(url: string): WapiKit {
  const base = `${url}/wapi`;
  const graph = (route: string, body?: object, { token = demo.token }: Variation = {}) => {
    const [method = "GET", path = ""] = route.split(" ");
    const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
    return request(method, base + path, body, headers);
  };
  const admin = adminOf(url, "wapi");
  const ok = async (route: string, body?: object) => {
    const answer = await graph(route, body);
    if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    url,
    base,
    graph,
    ok,
    refused: async (route, body, how) => describe(await graph(route, body, how)),
    send: async (message) => {
      const answer = await ok(`POST ${paths.messages}`, {
        messaging_product: "whatsapp",
        to: demo.user,
        ...message,
      });
      return String(answer["messages"]?.[0]?.["id"]);
    },
    admin,
    ann: (action, body) => admin(`POST /numbers/${demo.numberId}/users/${demo.user}/${action}`, body ?? {}),
  };
}

function describe({ status, body }: GraphAnswer): string {
  const error = body["error"];
  if (!error) throw new Error(`not refused: ${JSON.stringify(body)}`);
  const details = error["error_data"]?.["details"] ?? error["error_user_msg"];
  return `${status} ${error["message"]}${details === undefined ? "" : ` | ${details}`}`;
}

async function request(
  method: string,
  url: string,
  body: object | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<GraphAnswer> {
  const isForm = body instanceof FormData;
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body && !isForm && { "Content-Type": "application/json" }) },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}

/** A received callback. */
export interface Received {
  readonly raw: string;
  readonly body: Json;
  readonly headers: IncomingHttpHeaders;
}

/** A receiver of callbacks, which accepts everything by default. */
export interface Receiver {
  readonly url: string;
  readonly items: readonly Received[];
  /** Queries of the received verification requests. */
  readonly verifications: readonly URLSearchParams[];
  /** Its response to the next callbacks; default 200. */
  answer: (received: Received, response: ServerResponse) => void;
  /** The verify token that it accepts. */
  verifyToken: string;
  /** Resolves when this many callbacks have arrived. */
  reach(count: number): Promise<void>;
  /** The values of a field, over all callbacks, in order of arrival. */
  values(field?: string): Json[];
}

/** Runs a test with a receiver that is the app's callback and subscribed to the account. */
export async function withReceiver(
  run: (kit: WapiKit, receiver: Receiver) => Promise<void>,
  options: { readonly subscribe?: boolean } = {},
): Promise<void> {
  const { receiver, close } = await startReceiver();
  try {
    await withWapi(async (kit) => {
      await kit.admin("POST /settings", { retry_scale: 0.001 });
      if (options.subscribe !== false) {
        const callback = { callback_url: receiver.url, verify_token: receiver.verifyToken };
        await kit.admin(`POST /apps/${demo.appId}/subscriptions`, callback);
        await kit.ok(`POST ${paths.subscribedApps}`, {});
      }
      await run(kit, receiver);
    });
  } finally {
    close();
  }
}

async function startReceiver(): Promise<{ receiver: Receiver; close: () => void }> {
  const items: Received[] = [];
  const verifications: URLSearchParams[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const url = new URL(incoming.url ?? "/", "http://receiver");
    if (incoming.method === "GET") {
      verifications.push(url.searchParams);
      const isKnown = url.searchParams.get("hub.verify_token") === receiver.verifyToken;
      response.writeHead(isKnown ? 200 : 403).end(isKnown ? url.searchParams.get("hub.challenge") : "no");
      return;
    }
    const raw = Buffer.concat(chunks).toString();
    const received = { raw, body: JSON.parse(raw) as Json, headers: incoming.headers };
    items.push(received);
    receiver.answer(received, response);
    for (const { count, resolve } of waiting) if (items.length >= count) resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const receiver: Receiver = {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/hook`,
    items,
    verifications,
    verifyToken: "vibecoding",
    answer: (_received, response) => response.end("EVENT_RECEIVED"),
    reach: (count) => {
      if (items.length >= count) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
    values: (field = "messages") => items.flatMap(({ body }) => valuesOf(body, field)),
  };
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { receiver, close };
}

function valuesOf(body: Json, field: string): Json[] {
  const entries = body["entry"] as unknown as readonly {
    changes: readonly { field: string; value: Json }[];
  }[];
  return entries.flatMap(({ changes }) =>
    changes.filter((change) => change.field === field).map(({ value }) => value),
  );
}
