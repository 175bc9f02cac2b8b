import { type Receiver, startReceiver } from "../callback/test-kit.ts";
import type { SandboxOptions } from "../server.ts";
import type { Answer, Json } from "../test-kit.ts";
import { adminOf, inSandbox } from "../test-kit.ts";
import { demo } from "./demo.ts";

/** A sandbox with the demo account, and helpers for tests. */
export interface AvitoKit {
  /** The base address for API clients. */
  readonly base: string;
  /** A call of the API; null: without a token. */
  readonly api: (route: string, body?: unknown, token?: string | null) => Promise<Answer>;
  /** A call that must succeed; returns the body. */
  readonly ok: (route: string, body?: unknown) => Promise<Json>;
  /** A call that must fail: `400 Validation error {"message.text":"…"}`. */
  readonly refused: (route: string, body?: unknown, token?: string | null) => Promise<string>;
  /** Requests tokens, by default as the demo application. */
  readonly token: (form: Readonly<Record<string, string>>) => Promise<Answer>;
  /** Sends a text to Ann; returns its id. */
  readonly send: (text: string) => Promise<string>;
  /** An admin request that must succeed. */
  readonly admin: (route: string, body?: object) => Promise<Json>;
  /** Ann performs an action in her chat, for example `ann("messages", {...})`. */
  readonly ann: (action: string, body?: object) => Promise<Json>;
}

const v1 = `/messenger/v1/accounts/${demo.accountId}`;
const v2 = `/messenger/v2/accounts/${demo.accountId}`;

/** The paths of the demo account. */
export const paths = {
  messages: `${v1}/chats/${demo.chatId}/messages`,
  read: `${v1}/chats/${demo.chatId}/read`,
  history: `/messenger/v3/accounts/${demo.accountId}/chats/${demo.chatId}/messages/`,
  uploadImages: `${v1}/uploadImages`,
  voices: `${v1}/getVoiceFiles`,
  chats: `${v2}/chats`,
  chat: `${v2}/chats/${demo.chatId}`,
  blacklist: `${v2}/blacklist`,
} as const;

/** Runs a test with its own sandbox, which is closed even if the test fails. */
export async function withAvito(
  run: (kit: AvitoKit) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  await inSandbox(async (url) => {
    const kit = openKit(url);
    await kit.admin("POST /settings", { notices: false });
    await run(kit);
  }, options);
}

/** The same, with a receiver that the account's messages go to. */
export function withReceiver(run: (kit: AvitoKit, receiver: Receiver) => Promise<void>): Promise<void> {
  return withAvito(async (kit) => {
    const receiver = await startReceiver();
    try {
      await kit.admin("POST /settings", { retry_scale: 0.001 });
      await kit.ok("POST /messenger/v3/webhook", { url: receiver.url });
      await run(kit, receiver);
    } finally {
      receiver.close();
    }
  });
}

function openKit(url: string): AvitoKit {
  const base = `${url}/avito`;
  const api = (route: string, body?: unknown, token: string | null = demo.accessToken) => {
    const [method = "GET", path = ""] = route.split(" ");
    return request(method, base + path, body, token === null ? {} : { Authorization: `Bearer ${token}` });
  };
  const ok = async (route: string, body?: unknown) => {
    const answer = await api(route, body);
    if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const admin = adminOf(url, "avito");
  return {
    base,
    api,
    ok,
    refused: async (route, body, token) => describe(await api(route, body, token)),
    token: (form) => {
      const client = { client_id: demo.clientId, client_secret: demo.clientSecret };
      return request("POST", `${base}/token`, new URLSearchParams({ ...client, ...form }), {});
    },
    send: async (text) =>
      String((await ok(`POST ${paths.messages}`, { type: "text", message: { text } }))["id"]),
    admin,
    ann: (action, body) => admin(`POST /chats/${demo.chatId}/${action}`, body ?? {}),
  };
}

function describe({ status, body }: Answer): string {
  const error = body["error"];
  if (!error) throw new Error(`not refused: ${JSON.stringify(body)}`);
  return `${status} ${error["message"]}${error["fields"] ? ` ${JSON.stringify(error["fields"])}` : ""}`;
}

async function request(
  method: string,
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const asIs = body instanceof FormData || body instanceof URLSearchParams ? body : undefined;
  const isJson = body !== undefined && !asIs;
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(isJson && { "Content-Type": "application/json" }) },
    ...(body !== undefined && { body: asIs ?? JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: JSON.parse(text === "" ? "{}" : text) as Json,
  };
}
