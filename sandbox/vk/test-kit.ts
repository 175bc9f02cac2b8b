import { type Receiver, startReceiver } from "../callback/test-kit.ts";
import type { SandboxOptions } from "../server.ts";
import { adminOf, inSandbox, type Json } from "../test-kit.ts";
import { demo } from "./demo.ts";

/** A sandbox with the demo community, and helpers for tests. */
export interface VkKit {
  readonly url: string;
  /** The emulator's address, for example `http://127.0.0.1:8090/vk`. */
  readonly base: string;
  /** Calls a method with the demo key (or another) and returns the whole response. */
  readonly call: (method: string, params?: Params, token?: string) => Promise<Json>;
  /** The same, for calls that must succeed: returns the `response`. */
  readonly ok: (method: string, params?: Params, token?: string) => Promise<Json>;
  /** `code message` of the error that the call must end with. */
  readonly refused: (method: string, params?: Params, token?: string) => Promise<string>;
  /** An admin request that must succeed, e.g. `admin("POST /faults", {...})`. */
  readonly admin: (route: string, body?: object) => Promise<Json>;
  /** Ann performs an action, for example `ann("messages", {...})`. */
  readonly ann: (action: string, body?: object) => Promise<Json>;
  /** `messages.send` to Ann; returns her view of the message. */
  readonly send: (params: Params) => Promise<Json>;
}

export type Params = Readonly<Record<string, string | number | object>>;

/** Paths of the demo community in the admin API. */
export const community = `/communities/${demo.groupId}`;

/** Runs a test with its own sandbox, which is closed even if the test fails. */
export async function withVk(
  run: (kit: VkKit) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  await inSandbox((url) => run(openKit(url)), options);
}

function openKit(url: string): VkKit {
  const base = `${url}/vk`;
  const call = (method: string, params: Params = {}, token: string = demo.token) =>
    postForm(`${base}/method/${method}`, { v: "5.199", access_token: token, ...params });
  const ok = async (method: string, params?: Params, token?: string) => {
    const answer = await call(method, params, token);
    if (answer["error"]) throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer["response"] as Json;
  };
  const admin = adminOf(url, "vk");
  let randomId = 0;
  return {
    url,
    base,
    call,
    ok,
    refused: async (method, params, token) => {
      const { error, ...rest } = await call(method, params, token);
      if (!error) throw new Error(`${method} was not refused: ${JSON.stringify(rest)}`);
      return `${error["error_code"]} ${error["error_msg"]}`;
    },
    admin,
    ann: (action, body) => admin(`POST ${community}/users/${demo.userId}/${action}`, body ?? {}),
    send: async (params) => {
      randomId++;
      const sent = await ok("messages.send", { peer_ids: demo.userId, random_id: randomId, ...params });
      if (sent[0]?.["error"]) throw new Error(JSON.stringify(sent));
      const found = await ok("messages.getById", { message_ids: Number(sent[0]?.["message_id"]) });
      return found["items"]?.[0] as Json;
    },
  };
}

/** Posts a form and parses the JSON of the response, whose status must be 200. Objects are sent as JSON. */
async function postForm(url: string, params: Params): Promise<Json> {
  const texts = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  const response = await fetch(url, { method: "POST", body: new URLSearchParams(Object.fromEntries(texts)) });
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Json;
}

/** A callback server; by default it confirms itself and accepts every event. */
export interface VkReceiver extends Receiver {
  /** Its response to the request for the confirmation code. */
  code: string;
  types(): string[];
}

/** Runs a test with a receiver that the demo community has confirmed and subscribed to all message events. */
export async function withReceiver(run: (kit: VkKit, receiver: VkReceiver) => Promise<void>): Promise<void> {
  const receiver = await startVkReceiver();
  try {
    await withVk(async (kit) => {
      const { code } = await kit.ok("groups.getCallbackConfirmationCode", { group_id: demo.groupId });
      receiver.code = String(code);
      await kit.admin("POST /settings", { retry_scale: 0.001 });
      await addServer(kit, receiver.url);
      await run(kit, receiver);
    });
  } finally {
    receiver.close();
  }
}

/** Adds a callback server with the secret `s3cret`, and waits until it is confirmed. */
export async function addServer(kit: VkKit, url: string): Promise<number> {
  const server = { group_id: demo.groupId, url, title: "test", secret_key: "s3cret" };
  const { server_id: id } = await kit.ok("groups.addCallbackServer", server);
  await kit.ok("groups.setCallbackSettings", {
    group_id: demo.groupId,
    server_id: Number(id),
    api_version: "5.199",
    ...Object.fromEntries(messageEvents.map((name) => [name, 1])),
  });
  await kit.admin(`GET ${community}/confirmations?count=1`);
  return Number(id);
}

export const messageEvents = [
  "message_new",
  "message_reply",
  "message_edit",
  "message_allow",
  "message_deny",
  "message_read",
  "message_event",
  "message_typing_state",
  "message_reaction_event",
];

async function startVkReceiver(): Promise<VkReceiver> {
  const receiver = await startReceiver(({ body }, _method, response) => {
    if (String(body["type"]) !== "confirmation") return false;
    response.end(whole.code);
    return true;
  });
  const types = () => receiver.items.map(({ body }) => String(body["type"]));
  const whole: VkReceiver = Object.assign(receiver, { code: "", types });
  receiver.answer = (_received, response) => response.end("ok");
  return whole;
}
