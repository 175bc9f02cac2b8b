import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createToken } from "../../../src/core/account/tokens.ts";
import { actAs } from "../../../src/core/audit/actor.ts";
import { markPayment } from "../../../src/core/channel/payment.ts";
import { revokeAny } from "../../../src/core/oauth/revoke.ts";
import { Sweeper } from "../../../src/work/upkeep/sweeper.ts";
import { call, outcome } from "../kit/call.ts";
import { addClientAccount, addPartner, clientTokens, type TestPartner } from "../kit/partner.ts";
import { startReceiver } from "../kit/receiver.ts";
import { addToken, startNode, type TestNode } from "../kit/service.ts";

interface Entry {
  readonly id: number;
  readonly at: string;
  readonly action: string;
  readonly subject: string;
  readonly actor: string;
  readonly actorId: string;
  readonly from: string;
  readonly details: Record<string, unknown>;
}

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const CLIENT = "203.0.113.7";
const headers = { "x-forwarded-for": CLIENT };

let node: TestNode;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let partner: TestPartner;
let accountId: number;
let access: string;
let api: string;

beforeAll(async () => {
  node = await startNode();
  receiver = await startReceiver(() => 200);
});
beforeEach(async () => {
  partner = await addPartner(node);
  accountId = await addClientAccount(node, partner);
  access = await addToken(node.db, accountId, "access");
  api = await addToken(node.db, accountId, "api");
});
afterAll(async () => {
  await node.stop();
  await receiver.stop();
});

async function page(query = "", token = api): Promise<{ data: Entry[]; next: string | null }> {
  const { json } = await call(node, "GET", `/v3/audit${query}`, { token });
  return json as { data: Entry[]; next: string | null };
}

/** What was recorded since the account was made, oldest first. */
const entries = async (): Promise<Entry[]> =>
  (await page()).data.filter(({ action }) => action !== "account.create").toReversed();

const v2 = (method: "POST" | "PATCH" | "DELETE", path: string, body: object, token = access) =>
  call(node, method, path, { token, headers, body });
const v3 = (method: "POST" | "PATCH", path: string, body: object) =>
  call(node, method, path, { token: api, headers, body });
const tokenId = async (token: string) => {
  const rows = await node.db.query<{ id: string }>("select id from tokens where hash = sha256($1)", [
    Buffer.from(token),
  ]);
  return rows[0]?.id ?? "";
};
const created = (json: unknown) => (json as { data: { channel_id: string }[] }).data[0]?.channel_id ?? "";

test("channels: who changed them, from where, and how", async () => {
  const credentials = { telegram_token: `good:${accountId}` };
  const channelId = created((await v2("POST", "/v2/channels", { transport: "telegram", credentials })).json);
  await v2("PATCH", `/v2/channels/${channelId}/pacing`, { per_minute: 10 });
  await v2("POST", `/v2/channels/${channelId}/reinit`, { credentials });
  await actAs({ kind: "operator", id: "root", from: "server-1" }, () =>
    markPayment(node.core, { accountId, channelId }, "unpaid"),
  );
  expect(outcome(await v2("POST", `/v2/channels/${channelId}/reinit`, { credentials }))).toBe(
    "400 CHANNEL_NO_MONEY",
  );
  expect((await v2("DELETE", `/v2/channels/${channelId}`, {})).status).toBe(200);

  const by = { actor: "token", actorId: await tokenId(access), from: CLIENT, subject: channelId };
  const found = await entries();
  expect(found).toMatchObject([
    { ...by, action: "channel.create", details: { transport: "telegram" } },
    { ...by, action: "channel.pacing", details: { changes: { perMinute: 10 } } },
    { ...by, action: "channel.reinit", details: { credentials: "given" } },
    { action: "channel.unpaid", actor: "operator", actorId: "root", from: "server-1", subject: channelId },
    { ...by, action: "channel.delete", details: { transport: "telegram" } },
  ]);
  expect(JSON.stringify(found)).not.toContain("good:");
  expect(Date.parse(found[0]?.at ?? "")).toBeGreaterThan(Date.now() - 60_000);
});

test("webhooks: addresses without secrets, and never a key", async () => {
  await v3("PATCH", "/v3/webhooks", {
    webhooksUri: `${receiver.url}/hook?token=hush-1`,
    crmKey: "hush-2",
    subscriptions: { messagesAndStatuses: true },
  });
  await v3("POST", "/v3/webhooks/secret", {});
  await v3("POST", "/v3/webhooks/pause", {});
  await v3("POST", "/v3/webhooks/pause", {});
  await v3("POST", "/v3/webhooks/resume", {});
  await v3("POST", "/v3/webhooks/replay", { parked: true });
  const subscription = { url: `${receiver.url}/v2?token=hush-3`, event: "message.add" };
  const { json } = await v2("POST", "/v2/webhooks", { data: [subscription] });
  const { id } = (json as { data: [{ id: string }] }).data[0];
  await v2("POST", "/v2/webhooks", { data: [subscription] });
  await v2("PATCH", "/v2/webhooks", { data: [{ id, event: "message.edit" }] });
  await v2("DELETE", "/v2/webhooks", { data: [id] });

  const found = await entries();
  expect(found.map(({ action }) => action)).toEqual([
    "webhook.settings",
    "webhook.secret",
    "webhook.pause",
    "webhook.resume",
    "webhook.replay",
    "webhook.subscribe",
    "webhook.change",
    "webhook.unsubscribe",
  ]);
  expect(found[0]?.details).toMatchObject({
    address: `${receiver.url}/hook`,
    previousAddress: "",
    key: "given",
  });
  expect(found[5]).toMatchObject({
    subject: id,
    details: { address: `${receiver.url}/v2`, event: "message.add" },
  });
  expect(JSON.stringify(found)).not.toContain("hush");
});

test("tokens and grants, an application's changes, and what was deleted with its grant", async () => {
  const operator = { kind: "operator", id: "root", from: "server-1" } as const;
  const { id } = await actAs(operator, () => createToken(node.db, accountId, "sidecar"));
  const { access_token: token } = await clientTokens(node, partner, accountId);
  await v2("POST", "/v2/webhooks", { data: [{ url: `${receiver.url}/app`, event: "message.add" }] }, token);
  await actAs(operator, () => revokeAny(node.core, token));
  await actAs(operator, () => revokeAny(node.core, id));

  const found = await entries();
  expect(found.map(({ action, actor }) => `${action} ${actor}`)).toEqual([
    "token.create operator",
    "grant.create partner",
    "webhook.subscribe application",
    "grant.revoke operator",
    "webhook.unsubscribe operator",
    "token.revoke operator",
  ]);
  expect(found[0]).toMatchObject({ subject: id, details: { kind: "sidecar" }, from: "server-1" });
  expect(found[1]).toMatchObject({ actorId: String(partner.id), details: { scope: ["transport", "crm"] } });
  expect(found[2]?.actorId).toBe(`partner ${partner.id}`);
  expect(found[3]?.subject).toBe(found[1]?.subject);
});

test("refused or rolled back changes are not recorded", async () => {
  const good = { url: `${receiver.url}/a`, event: "message.add" };
  expect(outcome(await v2("POST", "/v2/webhooks", { data: [good, { ...good, url: "ftp://x" }] }))).toBe(
    "400 uriNotValid",
  );
  const credentials = { telegram_token: "bad" };
  expect(outcome(await v2("POST", "/v2/channels", { transport: "telegram", credentials }))).toBe(
    "400 WRONG_CREDENTIALS",
  );
  expect(outcome(await v2("DELETE", "/v2/webhooks", { data: [UNKNOWN] }))).toBe(
    "404 WEBHOOK_SUBSCRIPTION_NOT_FOUND",
  );
  expect(await entries()).toEqual([]);
});

test("pages, kinds, and other accounts", async () => {
  for (let index = 0; index < 5; index++)
    await v2("POST", "/v2/webhooks", {
      data: [{ url: `${receiver.url}/${index}`, event: "message.add" }],
    });
  const first = await page("?limit=2&action=webhook.subscribe");
  const second = await page(`?limit=2&action=webhook.subscribe&cursor=${first.next}`);
  const third = await page(`?limit=2&action=webhook.subscribe&cursor=${second.next}`);
  const addresses = [first, second, third].flatMap(({ data }) =>
    data.map(({ details }) => String(details["address"]).at(-1)),
  );
  expect(addresses).toEqual(["4", "3", "2", "1", "0"]);
  expect(third.next).toBeNull();
  expect((await page("?action=channel.create")).data).toEqual([]);
  expect(outcome(await call(node, "GET", "/v3/audit?action=nonsense", { token: api }))).toBe(
    "400 VALIDATION_ERROR action",
  );
  expect(outcome(await call(node, "GET", "/v3/audit?cursor=x", { token: api }))).toBe(
    "400 VALIDATION_ERROR cursor",
  );

  const other = await addClientAccount(node, partner);
  expect((await page("", await addToken(node.db, other, "api"))).data.map(({ action }) => action)).toEqual([
    "account.create",
  ]);
  const sidecar = await addToken(node.db, accountId, "sidecar");
  expect(outcome(await call(node, "GET", "/v3/audit", { token: sidecar }))).toBe("403 FORBIDDEN");
});

test("entries are deleted after their retention", async () => {
  await v2("POST", "/v2/webhooks", { data: [{ url: `${receiver.url}/x`, event: "message.add" }] });
  const age = (days: number, action: string) =>
    node.db.query(
      "update audit_log set at = now() - $2 * interval '1 day' where account_id = $1 and action = $3",
      [accountId, days, action],
    );
  await age(11, "account.create");
  await age(9, "webhook.subscribe");
  const sweeper = new Sweeper({
    core: node.core,
    eventRetentionDays: 30,
    auditRetentionDays: 10,
    fileRetentionDays: 30,
  });
  sweeper.start();
  try {
    await expect
      .poll(async () => (await page()).data.map(({ action }) => action), { timeout: 20_000 })
      .toEqual(["webhook.subscribe"]);
  } finally {
    await sweeper.stop();
  }
});
