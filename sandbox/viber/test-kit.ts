import { type Receiver, startReceiver } from "../callback/test-kit.ts";
import type { SandboxOptions } from "../server.ts";
import type { Json } from "../test-kit.ts";
import { adminOf, inSandbox } from "../test-kit.ts";
import { demo } from "./demo.ts";

/** A sandbox with the demo bot, and helpers for tests. */
export interface ViberKit {
  /** The base address for API clients. */
  readonly base: string;
  /** A call of the API; null: without a token. Returns the body. */
  readonly api: (method: string, body?: unknown, token?: string | null) => Promise<Json>;
  /** The same as text, without losing digits. */
  readonly raw: (method: string, body?: unknown) => Promise<string>;
  /** A message to Ann: returns the status and its name. */
  readonly send: (message: object) => Promise<string>;
  /** An admin request that must succeed. */
  readonly admin: (route: string, body?: object) => Promise<Json>;
  /** Ann performs an action, for example `ann("messages", {...})`. */
  readonly ann: (action: string, body?: object) => Promise<Json>;
}

/** Ann's id for the demo bot. */
export const annId = "uvxljkUHJw+ewdIOorcZFA==";

/** Runs a test with its own sandbox, which is closed even if the test fails. */
export async function withViber(
  run: (kit: ViberKit) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  await inSandbox((url) => run(openKit(url)), options);
}

/** The same, with a receiver as the bot's webhook, after the callbacks of setting it. */
export function withReceiver(
  run: (kit: ViberKit, receiver: Receiver) => Promise<void>,
  options: { readonly events?: readonly string[] } = {},
): Promise<void> {
  return withViber(async (kit) => {
    const receiver = await startReceiver();
    try {
      await kit.admin("POST /settings", { retry_scale: 0.001 });
      const events = options.events && { event_types: options.events };
      const set = await kit.api("set_webhook", { url: receiver.url, ...events });
      if (Number(set["status"]) !== 0) throw new Error(JSON.stringify(set));
      await run(kit, receiver);
    } finally {
      receiver.close();
    }
  });
}

function openKit(url: string): ViberKit {
  const base = `${url}/viber/pa`;
  const raw = async (method: string, body: unknown = {}, token: string | null = demo.token) => {
    const response = await fetch(`${base}/${method}`, {
      method: "POST",
      headers: token === null ? {} : { "X-Viber-Auth-Token": token },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return response.text();
  };
  const api = async (method: string, body?: unknown, token?: string | null) =>
    JSON.parse(await raw(method, body, token)) as Json;
  const admin = adminOf(url, "viber");
  return {
    base,
    api,
    raw,
    send: async (message) => {
      const answer = await api("send_message", { receiver: annId, sender: { name: "Shop" }, ...message });
      return `${answer["status"]} ${answer["status_message"]}`;
    },
    admin,
    ann: (action, body) => admin(`POST /bots/${demo.botId}/users/${demo.userId}/${action}`, body ?? {}),
  };
}
