import Schema from "typebox/schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../../clients/typescript/src/index.ts";
import { credentialsContext } from "../../../src/core/channel/credentials/credentials.ts";
import type { Operation } from "../../../src/http/openapi/operation.ts";
import { docsPages } from "../../../src/http/openapi/page/page.ts";
import { plainText } from "../../kit/html-text.ts";
import { describeInterface } from "../../kit/interface.ts";
import { type Receiver, startReceiver } from "../../kit/receiver.ts";
import { type Answer, call, outcome } from "../kit/call.ts";
import { addPartner, basic, type TestPartner } from "../kit/partner.ts";
import {
  addAccount,
  addChannel,
  addTemplate,
  startNode,
  type TestAccount,
  type TestNode,
} from "../kit/service.ts";

/** Ids that the examples have. */
const CHANNEL = "6f1d9a52-3c0b-4a7e-9d61-0f6c2b8e4a10";
const ID = "0b7e6f0e-8f6f-4c52-8d0e-3f1a5b9d2c77";

/** What these answer where no messenger is behind the channel, or nothing was delivered yet. */
const WITHOUT_MESSENGER: Readonly<Record<string, string>> = {
  submitTwoFactorPassword: "400 PASSWORD_NOT_EXPECTED",
  getPasskeyRequest: "400 PASSKEY_NOT_EXPECTED",
  submitPasskeyAnswer: "400 PASSKEY_NOT_EXPECTED",
  requestPairingCode: "400 PAIRING_NOT_EXPECTED",
  editMessage: "400 CHANNEL_INVALID_TRANSPORT_FOR_EDITING",
  editV3Message: "400 CHANNEL_INVALID_TRANSPORT_FOR_EDITING",
  removeV3Message: "400 CHANNEL_INVALID_TRANSPORT_FOR_DELETION",
  // The channel of the message cannot react.
  reactToMessage: "400 CHANNEL_INVALID_TRANSPORT",
  removeReaction: "400 CHANNEL_INVALID_TRANSPORT",
  markChatAsRead: "400 CHANNEL_INVALID_TRANSPORT",
  showTyping: "400 CHANNEL_INVALID_TRANSPORT",
  checkPhones: "400 CHANNEL_INVALID_TRANSPORT",
  createGroup: "400 CHANNEL_INVALID_TRANSPORT",
  getGroup: "400 CHANNEL_INVALID_TRANSPORT",
  changeGroup: "400 CHANNEL_INVALID_TRANSPORT",
  getDelivery: "404 WEBHOOK_DELIVERY_NOT_FOUND",
  // A page without a code of an error; the application of the example is not registered.
  authorizeApplication: "400",
};

let node: TestNode;
let account: TestAccount;
let partner: TestPartner;
let receiver: Receiver;
let phone: string;
let message: string;
/** Ids that answers gave, by the operation. */
const given: Record<string, string> = {};

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  partner = await addPartner(node);
  receiver = await startReceiver();
  const made = await addChannel(node, account, {
    transport: "wapi",
    businessId: "shop",
    credentials: { key: "good:1@shop" },
  });
  await node.db.query("update channels set id = $2 where id = $1", [made, CHANNEL]);
  await reseal();
  phone = await addChannel(node, account, { transport: "whatsapp" });
  await addTemplate(node, account, { id: ID, transport: "wapi", businessId: "shop" });
  const body = {
    channel_id: CHANNEL,
    recipient: { chat_type: "whatsapp", chat_id: "79990001122" },
    text: "Hi",
  };
  const sent = await call(node, "POST", "/v2/messages", { token: account.access, body });
  message = (sent.json as { data: { request_id: string } }).data.request_id;
});
afterAll(async () => {
  await receiver.stop();
  await node.stop();
});

/** Credentials are sealed for the id of their channel. */
async function reseal(): Promise<void> {
  const sealed = node.core.seal.seal(JSON.stringify({ key: "good:1@shop" }), credentialsContext(CHANNEL));
  await node.db.query("update channels set credentials = $2 where id = $1", [CHANNEL, sealed]);
}

/** The line that starts the channel again leaves it to its node, which there is none of. */
async function keepActive(): Promise<void> {
  await node.db.query("update channels set status = 'active', reason = null where id = $1", [CHANNEL]);
  node.core.caches.channels.delete(CHANNEL);
}

/** What the lines before may have removed. */
async function keepEntities(): Promise<void> {
  const [base] = [{ responsibleUserId: ID, name: "Ann" }];
  const save = (path: string, entity: object) =>
    call(node, "POST", `/v3/${path}`, { token: account.api, body: [{ id: ID, ...entity }] });
  await save("users", { name: "Ann" });
  await save("contacts", { ...base, contactData: [] });
  await save("deals", { ...base, contacts: [] });
}

/** What the lines before may have removed. */
async function keepTemplate(): Promise<void> {
  await node.db.query("update templates set deleted_at = null where id = $1", [ID]);
}

/** The id that a path of this route needs. */
function idFor({ operationId }: Operation, path: string): string {
  if (path.startsWith("/counters/")) return account.api;
  if (/auth\/(2fa|passkey)|pairing-code/.test(path)) return phone;
  if (path.includes("/proposals/")) return given["proposeMessage"] ?? "";
  if (path.includes("/message")) return path.includes("dump") ? (given["exportMessages"] ?? "") : message;
  if (path.includes("/accounts/")) return given["createAccount"] ?? "";
  if (path.includes("/receivers/")) return given["receiver"] ?? "";
  if (path.includes("/replay/")) return given["replayDeliveries"] ?? "";
  if (path.includes("/templates/wz/")) return given["addCannedAnswer"] ?? "";
  if (operationId === "removeChannel") return given["createChannel"] ?? "";
  return path.includes("/channels/") ? CHANNEL : ID;
}

/** What a later line refers to. */
function remember({ operationId }: Operation, { json }: Answer): void {
  const { data, ...rest } = (json ?? {}) as { data?: unknown; id?: string };
  const found = [data, rest].flat().find((each) => typeof each === "object" && each !== null) as
    | Record<string, unknown>
    | undefined;
  const { account: made } = (found ?? {}) as { account?: { account_id: unknown } };
  const id =
    made?.account_id ??
    found?.["export_id"] ??
    found?.["proposal_id"] ??
    found?.["template_id"] ??
    found?.["replayId"] ??
    found?.["channel_id"] ??
    found?.["id"] ??
    rest.id;
  if (id !== undefined) given[operationId] = String(id);
}

const document = await describeInterface();
const pages = docsPages(document);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => [path, operation] as const),
);

/** An example of an operation as its page shows it. */
function shown({ operationId, tags }: Operation, language: "curl" | "TypeScript"): string | undefined {
  const page = pages.get(tags[0] ?? "")?.() ?? "";
  const [section = ""] =
    new RegExp(`<section class="operation" id="${operationId}".*?</section>`, "s").exec(page) ?? [];
  const [, code] = new RegExp(`>${language}</figcaption><pre><code>(.*?)</code>`, "s").exec(section) ?? [];
  return code === undefined ? undefined : plainText(code);
}

/** The line of curl, taken apart. */
function lineOf(operation: Operation) {
  const line = shown(operation, "curl") ?? "";
  return {
    method: (/-X (\w+)/.exec(line)?.[1] ?? "GET") as "GET" | "POST" | "PATCH" | "DELETE",
    path: /"\$BASE_URL([^"]*)"/.exec(line)?.[1] ?? "",
    body: / -d '(.*)'$/s.exec(line)?.[1]?.replaceAll("'\\''", "'"),
    credential: CREDENTIALS.find(([, mark]) => line.includes(mark))?.[0] ?? "none",
  };
}

const CREDENTIALS = [
  ["partner", '-u "$EMAIL:$PASSWORD"'],
  ["apiKey", "Bearer $API_KEY"],
  ["accessToken", "Bearer $ACCESS_TOKEN"],
] as const;

/** The path of the example with ids of this installation. */
function filled(template: string, operation: Operation): string {
  const [, query = ""] = lineOf(operation).path.split("?");
  const path = template
    .replace("{chat_type}/{chat_id}", "whatsapp/79990001122")
    .replace(/\{\w+\}/, () => idFor(operation, template));
  return query === "" ? path : `${path}?${query}`;
}

async function run(template: string, operation: Operation): Promise<Answer> {
  const { method, body, credential } = lineOf(operation);
  const raw = body
    ?.replace("https://example.com/webhooks", receiver.url)
    .replace(operation.operationId.endsWith("Subscriptions") ? ID : "\0", given["addSubscriptions"] ?? ID);
  const authorization =
    credential === "partner"
      ? basic(partner.email, partner.password)
      : `Bearer ${credential === "apiKey" ? account.api : account.access}`;
  const headers = { authorization, ...(raw === undefined ? {} : { "content-type": "application/json" }) };
  return call(node, method, filled(template, operation), { headers, ...(raw === undefined ? {} : { raw }) });
}

/** The request that the TypeScript of an example makes. */
async function requestOf(code: string) {
  let made: { url: URL; init: RequestInit } | undefined;
  const trunkline = createClient({
    baseUrl: "https://gateway.example",
    accessToken: "accessToken",
    apiKey: "apiKey",
    partner: { email: "partner", password: "" },
    async fetch(url, init = {}) {
      made = { url: new URL(String(url)), init };
      return new Response("{}", { headers: { "content-type": "application/json" } });
    },
  });
  await new AsyncFunction("trunkline", code)(trunkline);
  const { url, init } = made ?? {};
  const [scheme = "", given = ""] = new Headers(init?.headers).get("authorization")?.split(" ") ?? [];
  return {
    method: init?.method,
    path: `${url?.pathname}${url?.search}`,
    body: init?.body === undefined ? undefined : JSON.parse(String(init.body)),
    credential: scheme === "" ? "none" : scheme === "Basic" ? atob(given).replace(":", "") : given,
  };
}

const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: string[]
) => (client: unknown) => Promise<void>;

test.each(operations)(
  "the example of %s: its path fits, and its TypeScript makes the same request as its curl",
  async (template, operation) => {
    const { path, body, ...line } = lineOf(operation);
    const places = template.replaceAll(/[.?]/g, "\\$&").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/?]+)");
    const values = new RegExp(`^${places}(\\?|$)`).exec(path)?.groups ?? {};
    const { parameters = [] } = operation;
    for (const { name, schema } of parameters.filter((each) => each.in === "path"))
      expect(Schema.Compile(schema as Record<string, unknown>).Check(values[name]), name).toBe(true);
    const code = shown(operation, "TypeScript");
    if (code === undefined) return expect(operation.operationId).toBe("authorizeApplication");
    const made = await requestOf(code);
    const url = new URL(path, "https://gateway.example");
    expect(made).toEqual({
      ...line,
      path: `${url.pathname}${new URL(`?${url.searchParams}`, url).search}`,
      body: body === undefined ? undefined : JSON.parse(body),
    });
  },
);

test("every curl command on /docs returns the documented status", async () => {
  const wrong: string[] = [];
  for (const [path, operation] of operations) {
    const { operationId, responses } = operation;
    if (path.startsWith("/v2/c") || /users|contacts|deals|unanswered/.test(path)) await keepEntities();
    if (path.startsWith("/v2/templates/waba")) await keepTemplate();
    await keepActive();
    const answer = await run(path, operation);
    remember(operation, answer);
    if (operationId === "listReceivers")
      given["receiver"] = (answer.json as { receiverId: string }[])[0]?.receiverId ?? "";
    const [promised = ""] = Object.keys(responses);
    const expected = WITHOUT_MESSENGER[operationId] ?? promised;
    const told = outcome(answer);
    if (told !== expected) wrong.push(`${operationId}: ${told} instead of ${expected} ${answer.text}`);
  }
  expect(wrong).toEqual([]);
  expect(operations.length).toBeGreaterThan(80);
});
