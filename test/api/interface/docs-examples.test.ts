import { afterAll, beforeAll, expect, test } from "vitest";
import { credentialsContext } from "../../../src/core/channel/credentials/credentials.ts";
import type { Operation } from "../../../src/http/openapi/operation.ts";
import { docsPage } from "../../../src/http/openapi/page/page.ts";
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
  if (/auth\/(2fa|passkey)|pairing-code/.test(path)) return phone;
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
    found?.["template_id"] ??
    found?.["replayId"] ??
    found?.["channel_id"] ??
    found?.["id"] ??
    rest.id;
  if (id !== undefined) given[operationId] = String(id);
}

const document = await describeInterface();
const page = docsPage(document);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => [path, operation] as const),
);

/** The line of curl that the page shows, taken apart. */
function lineOf(operationId: string) {
  const [, section = ""] = new RegExp(`id="${operationId}".*?<pre><code>(.*?)</code>`, "s").exec(page) ?? [];
  const line = section
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
  return {
    method: (/-X (\w+)/.exec(line)?.[1] ?? "GET") as "GET" | "POST" | "PATCH" | "DELETE",
    path: /"\$BASE_URL([^"]*)"/.exec(line)?.[1] ?? "",
    body: / -d '(.*)'$/s.exec(line)?.[1],
    isPartner: line.includes('-u "$EMAIL:$PASSWORD"'),
    isV3: line.includes("$API_KEY"),
  };
}

async function run(operation: Operation): Promise<Answer> {
  const { method, path, body, isPartner, isV3 } = lineOf(operation.operationId);
  const filled = path
    .replace("{chat_type}/{chat_id}", "whatsapp/79990001122")
    .replace(/\{\w+\}/, () => idFor(operation, path));
  const raw = body
    ?.replace("https://example.com/webhooks", receiver.url)
    .replace(operation.operationId.endsWith("Subscriptions") ? ID : "\0", given["addSubscriptions"] ?? ID);
  const authorization = isPartner
    ? basic(partner.email, partner.password)
    : `Bearer ${isV3 ? account.api : account.access}`;
  const headers = { authorization, ...(raw === undefined ? {} : { "content-type": "application/json" }) };
  return call(node, method, filled, { headers, ...(raw === undefined ? {} : { raw }) });
}

test("every curl command on /docs returns the documented status", async () => {
  const wrong: string[] = [];
  for (const [path, operation] of operations) {
    const { operationId, responses } = operation;
    if (path.startsWith("/v2/c") || /users|contacts|deals|unanswered/.test(path)) await keepEntities();
    if (path.startsWith("/v2/templates/waba")) await keepTemplate();
    await keepActive();
    const answer = await run(operation);
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
