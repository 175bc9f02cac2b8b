import { createServer } from "node:http";
import { type Receiver, startReceiver } from "../callback/test-kit.ts";
import { type SandboxOptions, startSandbox } from "../server.ts";
import { adminOf, type Json } from "../test-kit.ts";
import { demo } from "./demo.ts";

/** Variations of a call. */
export interface Variation {
  /** Null: without a token. */
  readonly token?: string | null;
}

/** A sandbox with the demo account, and helpers for tests. */
export interface InstagramKit {
  readonly url: string;
  /** The emulator's address, for example `http://127.0.0.1:8090/instagram`. */
  readonly base: string;
  /** A page token of the demo account. */
  readonly pageToken: string;
  /** A call with the page token (or another), e.g. `graph("GET /me?fields=name")`. */
  readonly graph: (route: string, body?: object, how?: Variation) => Promise<{ status: number; body: Json }>;
  /** The same, for calls that must succeed. */
  readonly ok: (route: string, body?: object, how?: Variation) => Promise<Json>;
  /** `status code/subcode message` of the error that the call must end with. */
  readonly refused: (route: string, body?: object, how?: Variation) => Promise<string>;
  /** `POST /me/messages` to Ann; returns the message id. */
  readonly send: (message: object, more?: object) => Promise<string>;
  readonly admin: (route: string, body?: object) => Promise<Json>;
  /** Ann performs an action on the demo account, for example `ann("messages", {...})`. */
  readonly ann: (action: string, body?: object) => Promise<Json>;
}

/** Path of the demo account in the admin API. */
export const account = `/accounts/${demo.accountId}`;
export const toAnn = { recipient: { id: demo.igsid } };

/** Runs a test with its own sandbox, which is closed even if the test fails. */
export async function withInstagram(
  run: (kit: InstagramKit) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  const sandbox = await startSandbox({ seedDemo: true, ...options });
  try {
    await run(await openKit(sandbox.url));
  } finally {
    await sandbox.close();
  }
}

async function openKit(url: string): Promise<InstagramKit> {
  const base = `${url}/instagram`;
  const call = async (route: string, body: object | undefined, token: string | null) => {
    const [method = "GET", path = ""] = route.split(" ");
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(token !== null && { Authorization: `Bearer ${token}` }),
        ...(body && { "Content-Type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const page = await call(`GET /${demo.pageId}?fields=access_token`, undefined, demo.userToken);
  const pageToken = String(page.body["access_token"]);
  const graph = (route: string, body?: object, { token = pageToken }: Variation = {}) =>
    call(route, body, token);
  const admin = adminOf(url, "instagram");
  const ok = async (route: string, body?: object, how?: Variation) => {
    const answer = await graph(route, body, how);
    if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    url,
    base,
    pageToken,
    graph,
    ok,
    refused: async (route, body, how) => {
      const answer = await graph(route, body, how);
      const { error } = answer.body;
      if (!error) throw new Error(`${route} was not refused: ${JSON.stringify(answer.body)}`);
      const subcode = error["error_subcode"] === undefined ? "" : `/${error["error_subcode"]}`;
      return `${answer.status} ${error["code"]}${subcode} ${error["message"]}`;
    },
    send: async (message, more = {}) =>
      String((await ok("POST /v23.0/me/messages", { ...toAnn, message, ...more }))["message_id"]),
    admin,
    ann: (action, body) => admin(`POST ${account}/users/${demo.userId}/${action}`, body ?? {}),
  };
}

/** A receiver of callbacks that answers the challenge. */
export interface InstagramReceiver extends Receiver {
  /** What it accepts as `hub.verify_token`. */
  verifyToken: string;
  /** The elements of `messaging`, and the changes, over all callbacks, in order of arrival. */
  news(): Json[];
}

/** Runs a test with a receiver for the demo app and a subscribed page. */
export async function withReceiver(
  run: (kit: InstagramKit, receiver: InstagramReceiver) => Promise<void>,
): Promise<void> {
  const receiver = await startInstagramReceiver();
  try {
    await withInstagram(async (kit) => {
      await kit.admin("POST /settings", { retry_scale: 0.001, announce_edits: false });
      const callback = { callback_url: receiver.url, verify_token: receiver.verifyToken };
      await kit.admin(`POST /apps/${demo.appId}/subscriptions`, callback);
      await kit.ok(`POST /${demo.pageId}/subscribed_apps?subscribed_fields=feed`);
      await run(kit, receiver);
    });
  } finally {
    receiver.close();
  }
}

async function startInstagramReceiver(): Promise<InstagramReceiver> {
  const receiver = await startReceiver(({ path }, method, response) => {
    if (method !== "GET") return false;
    const query = new URL(path, "http://receiver").searchParams;
    const isKnown = query.get("hub.verify_token") === whole.verifyToken;
    response.writeHead(isKnown ? 200 : 403).end(isKnown ? query.get("hub.challenge") : "no");
    return true;
  });
  const news = () => receiver.items.flatMap(({ body }) => newsOf(body));
  const whole: InstagramReceiver = Object.assign(receiver, { verifyToken: "vibecoding", news });
  return whole;
}

function newsOf(body: Json): Json[] {
  const entries = body["entry"] as unknown as readonly { messaging?: Json[]; changes?: Json[] }[];
  return entries.flatMap((entry) => entry.messaging ?? entry.changes ?? [entry as Json]);
}

/** Serves one file on loopback for the duration of the test. */
export async function withFile(
  file: { readonly bytes: Uint8Array; readonly mime: string; readonly status?: number },
  run: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer((_request, response) => {
    response.writeHead(file.status ?? 200, { "Content-Type": file.mime }).end(file.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  try {
    await run(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/file`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
