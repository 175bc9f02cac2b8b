import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { call } from "../kit/call.ts";
import { addAccount, addChannel, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;
let foreignChannel: string;
let foreignMessage: string;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  const owner = await addAccount(node.db);
  foreignChannel = await addChannel(node, owner, { transport: "telegram" });
  const body = { channel_id: foreignChannel, recipient: { chat_type: "telegram", chat_id: "1" }, text: "x" };
  const sent = await call(node, "POST", "/v2/messages", { token: owner.access, body });
  foreignMessage = (sent.json as { data: { request_id: string } }).data.request_id;
});
afterAll(() => node.stop());

const CHANNEL_ROUTES = [
  ["GET", "", undefined],
  ["DELETE", "", undefined],
  ["DELETE", "?delete_chats=true", undefined],
  ["POST", "/reinit", { credentials: { telegram_token: "good:1" } }],
  ["POST", "/auth/2fa", { two_factor_code: "x", transport: "telegram" }],
  ["POST", "/pairing-code", { transport: "telegram" }],
] as const;

test.each(CHANNEL_ROUTES)("%s channel%s: another account's is missing", async (method, rest, body) => {
  const answers = await Promise.all(
    [foreignChannel, foreignChannel.toUpperCase(), newId(), "not-an-id", "x".repeat(500), "%00"].map((id) =>
      call(node, method, `/v2/channels/${id}${rest}`, { token: account.access, ...(body ? { body } : {}) }),
    ),
  );
  for (const { status, text } of answers) {
    expect([status, text]).toEqual([
      404,
      '{"error":"CHANNEL_NOT_FOUND","description":"There is no such channel"}',
    ]);
  }
});

test.each([
  ["PATCH", { text: "New" }],
  ["DELETE", undefined],
] as const)("%s message: another account's is missing", async (method, body) => {
  const answers = await Promise.all(
    [foreignMessage, newId(), "not-an-id"].map((id) =>
      call(node, method, `/v2/messages/${id}`, { token: account.access, ...(body ? { body } : {}) }),
    ),
  );
  for (const answer of answers) {
    expect(answer.json).toEqual({
      error: "MESSAGES_NOT_FOUND",
      description: "There is no such message",
      status: 404,
      requestId: answer.headers["x-request-id"],
    });
  }
});

test("a cached channel is not another account's either", async () => {
  const body = { channel_id: foreignChannel, recipient: { chat_type: "telegram", chat_id: "1" }, text: "x" };
  const answer = await call(node, "POST", "/v2/messages", { token: account.access, body });
  expect(answer.json).toMatchObject({ error: "CHANNEL_NOT_FOUND", status: 404 });
});

test("Idempotency-Keys are separate for each account", async () => {
  const other = await addAccount(node.db);
  const headers = { "idempotency-key": "shared" };
  const create = (token: string) =>
    call(node, "POST", "/v2/channels", { token, headers, body: { transport: "whatsapp", credentials: {} } });
  const [mine, theirs] = [await create(account.access), await create(other.access)];
  expect(theirs.headers["idempotency-replayed"]).toBeUndefined();
  expect(theirs.json).not.toEqual(mine.json);
});
