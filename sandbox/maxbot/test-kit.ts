import { type Receiver, startReceiver } from "../callback/test-kit.ts";
import type { SandboxOptions } from "../server.ts";
import type { Answer, Json } from "../test-kit.ts";
import { adminOf, inSandbox } from "../test-kit.ts";
import { demo } from "./demo.ts";

/** A sandbox with the demo bot, and helpers for tests. */
export interface MaxbotKit {
  readonly url: string;
  /** The base address for API clients. */
  readonly base: string;
  /** A call of the API, for example `api("POST /messages?user_id=1", {...})`; null: without a token. */
  readonly api: (route: string, body?: unknown, token?: string | null) => Promise<Answer>;
  /** A call that must succeed; returns the body. */
  readonly ok: (route: string, body?: unknown) => Promise<Json>;
  /** A call that must fail: `400 proto.payload: text: size must …`. */
  readonly refused: (route: string, body?: unknown, token?: string | null) => Promise<string>;
  /** Sends a message to Ann; returns its mid. */
  readonly send: (message: object) => Promise<string>;
  /** An admin request that must succeed. */
  readonly admin: (route: string, body?: object) => Promise<Json>;
  /** Ann performs an action, for example `ann("messages", {...})`. */
  readonly ann: (action: string, body?: object) => Promise<Json>;
  /** Uploads bytes as a form; returns the text of the response. */
  readonly upload: (
    url: string,
    bytes: Uint8Array<ArrayBuffer>,
    field?: string,
  ) => Promise<{ status: number; text: string }>;
}

/** Sends to Ann. */
export const toAnn = `POST /messages?user_id=${demo.userId}`;

/** Runs a test with its own sandbox, which is closed even if the test fails. */
export async function withMaxbot(
  run: (kit: MaxbotKit) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  await inSandbox((url) => run(openKit(url)), options);
}

/** The same, with a receiver that the demo bot's updates go to. */
export function withReceiver(run: (kit: MaxbotKit, receiver: Receiver) => Promise<void>): Promise<void> {
  return withMaxbot(async (kit) => {
    const receiver = await startReceiver();
    try {
      await kit.admin("POST /settings", { retry_scale: 0.001 });
      await kit.ok("POST /subscriptions", { url: receiver.url, secret: "s3cret-s3cret" });
      await run(kit, receiver);
    } finally {
      receiver.close();
    }
  });
}

function openKit(url: string): MaxbotKit {
  const base = `${url}/maxbot`;
  const api = (route: string, body?: unknown, token: string | null = demo.token) => {
    const [method = "GET", path = ""] = route.split(" ");
    return request(method, base + path, body, token === null ? {} : { Authorization: token });
  };
  const ok = async (route: string, body?: unknown) => {
    const answer = await api(route, body);
    if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const admin = adminOf(url, "maxbot");
  return {
    url,
    base,
    api,
    ok,
    refused: async (route, body, token) => {
      const answer = await api(route, body, token);
      if (!answer.body["code"]) throw new Error(`not refused: ${JSON.stringify(answer.body)}`);
      return `${answer.status} ${answer.body["code"]}: ${answer.body["message"]}`;
    },
    send: async (message) => String((await ok(toAnn, message))["message"]?.["body"]?.["mid"]),
    admin,
    ann: (action, body) => admin(`POST /bots/${demo.botId}/users/${demo.userId}/${action}`, body ?? {}),
    upload: async (address, bytes, field = "data") => {
      const form = new FormData();
      form.set(field, new File([bytes], "file.bin"));
      const response = await fetch(address, { method: "POST", body: form });
      return { status: response.status, text: await response.text() };
    },
  };
}

async function request(
  method: string,
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { "Content-Type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}
