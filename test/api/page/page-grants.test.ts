import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { revokeToken } from "../../../src/core/account/tokens.ts";
import { revokeAny } from "../../../src/core/oauth/revoke.ts";
import { newId } from "../../../src/platform/ids.ts";
import { call, outcome } from "../kit/call.ts";
import { write } from "../kit/inbound.ts";
import { openStream } from "../kit/live.ts";
import { addClientAccount, addPartner, clientTokens, type TestPartner } from "../kit/partner.ts";
import { addChannel, addToken, startNode, type TestNode } from "../kit/service.ts";

const CLIENT = "79200000001";

let node: TestNode;
let partner: TestPartner;
let accountId: number;
let channel: string;

beforeAll(async () => {
  node = await startNode({ streamBeatMs: 200 });
});
beforeEach(async () => {
  partner = await addPartner(node);
  accountId = await addClientAccount(node, partner);
  channel = await addChannel(node, { id: accountId }, { transport: "whatsapp" });
});
afterAll(() => node.stop());

const tokens = (scope?: string) => clientTokens(node, partner, accountId, scope);

/** The token of the session of a page that this token links to. */
async function open(token: string, page: "channels" | "chats"): Promise<string> {
  const body =
    page === "chats" ? { user_id: "agent-1", scope: "global" } : { options: { channel_id: channel } };
  const linked = await call(node, "POST", `/v2/iframe-links/${page}`, { token, body });
  return openByLink((linked.json as { data: { link: string } }).data.link, page);
}
async function openByLink(link: string, page: "channels" | "chats"): Promise<string> {
  const ticket = new URL(link).searchParams.get("ticket");
  const path = page === "chats" ? "/app/api/chat-sessions" : "/app/api/sessions";
  const { json } = await call(node, "POST", path, { body: { ticket } });
  return (json as { token: string }).token;
}
const useChats = async (token: string) => outcome(await call(node, "GET", "/app/api/chats", { token }));
const useChannel = async (token: string) =>
  outcome(await call(node, "GET", `/app/api/channels/${channel}`, { token }));

test.each(["transport", "transport,crm"])("a chat page of the scope %s", async (scope) => {
  const owner = await addToken(node.db, accountId, "access");
  const contact = {
    id: "c1",
    responsible_user_id: "7",
    name: "Ann Brown",
    contact_data: [{ chat_type: "whatsapp", chat_id: CLIENT }],
  };
  const uploaded = await call(node, "POST", "/v2/contacts", { token: owner, body: { contacts: [contact] } });
  expect(outcome(uploaded)).toBe("200");
  await write(node, { account: { id: accountId }, channelId: channel }, [[CLIENT, "Good morning"]]);
  const token = await open((await tokens(scope)).access_token, "chats");
  const listed = await call(node, "GET", "/app/api/chats", { token });
  const [chat] = (listed.json as { chats: { id: string }[] }).chats;
  const client = await call(node, "GET", `/app/api/chats/${chat?.id}/client`, { token });
  const deal = await call(node, "POST", `/app/api/chats/${chat?.id}/deals`, { token, body: {} });
  if (scope === "transport") {
    expect([outcome(client), outcome(deal)]).toEqual(["403 FORBIDDEN", "403 FORBIDDEN"]);
  } else {
    expect(client.json).toMatchObject({ contact: { name: "Ann Brown" } });
    expect(outcome(deal)).toBe("200");
  }
});

test("pages end with the grant that opened them, with their streams and their unused links", async () => {
  const { access_token: token, refresh_token: refreshToken } = await tokens();
  const other = await tokens();
  const [chats, connect] = [await open(token, "chats"), await open(token, "channels")];
  const kept = await open(other.access_token, "chats");
  const shared = await call(node, "POST", `/app/api/channels/${channel}/share`, {
    token: connect,
    body: {},
  });
  const stream = await openStream(node, chats);
  onTestFinished(() => stream.close());
  expect([await useChats(chats), await useChats(kept), await useChannel(connect)]).toEqual([
    "200",
    "200",
    "200",
  ]);

  await revokeAny(node.core, refreshToken);
  await stream.ended;
  expect([await useChats(chats), await useChats(kept), await useChannel(connect)]).toEqual([
    "401 INVALID_APIKEY",
    "200",
    "401 INVALID_APIKEY",
  ]);
  expect(await openByLink((shared.json as { link: string }).link, "channels")).toBeUndefined();
});

test("pages outlive a token that expired, and end with an API key that is revoked", async () => {
  const { access_token: token } = await tokens();
  const opened = await open(token, "chats");
  await node.db.query("update tokens set expires_at = now() where account_id = $1", [accountId]);
  expect(await useChats(opened)).toBe("200");

  const apiKey = await addToken(node.db, accountId, "api");
  const body = { user: { id: newId() }, scope: "global" };
  const linked = await call(node, "POST", "/v3/iframe", { token: apiKey, body });
  const page = await openByLink((linked.json as { url: string }).url, "chats");
  expect(await useChats(page)).toBe("200");
  await revokeToken(node.db, apiKey);
  expect(await useChats(page)).toBe("401 INVALID_APIKEY");
});
