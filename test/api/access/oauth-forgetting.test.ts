import { afterAll, beforeAll, expect, test } from "vitest";
import { issueCode } from "../../../src/core/oauth/code.ts";
import { call } from "../kit/call.ts";
import {
  addClientAccount,
  addPartner,
  askToken,
  basic,
  clientTokens,
  refreshRequest,
} from "../kit/partner.ts";
import { startNode, type TestNode } from "../kit/service.ts";
import { sweeperOf } from "../kit/sweeper.ts";

let node: TestNode;

beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

const TABLES = [
  "oauth_grants",
  "oauth_refresh_tokens",
  "oauth_machine_tokens",
  "oauth_codes",
  "tokens",
  "page_tickets",
  "login_attempts",
];

async function counts(): Promise<Record<string, number>> {
  const rows = TABLES.map(async (table) => {
    const [row] = await node.db.query<{ n: number }>(`select count(*)::int as n from ${table}`);
    return [table, row?.n ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

/** One of everything that OAuth leaves behind: machine, access and refresh tokens, a code, a ticket, a wrong password. */
async function leaveTraces(): Promise<void> {
  const partner = await addPartner(node);
  const account = await addClientAccount(node, partner);
  const first = await clientTokens(node, partner, account);
  const refreshed = await askToken(node, partner, refreshRequest(first.refresh_token, partner.clientId));
  expect(refreshed.status).toBe(200);
  const { access_token: token } = (refreshed.json as { data: { access_token: string } }).data;
  await call(node, "POST", "/v2/iframe-links/channels", { token, body: {} });
  await issueCode(node.core, {
    accountId: account,
    clientId: partner.clientId,
    redirectUri: "https://crm.example/",
    scope: ["crm"],
    challenge: Buffer.alloc(32),
  });
  await call(node, "GET", "/v2/accounts/1", { headers: { authorization: basic(partner.email, "wrong") } });
}

test("data that expired long ago are deleted, and nothing else", async () => {
  const before = await counts();
  await leaveTraces();
  for (const table of TABLES.filter((name) => name !== "login_attempts"))
    await node.db.query(`update ${table} set expires_at = expires_at - interval '39 days'`);
  await node.db.query("update login_attempts set period = period - 2");
  await leaveTraces();
  const both = await counts();
  const living = Object.fromEntries(
    TABLES.map((name) => [name, ((both[name] ?? 0) - (before[name] ?? 0)) / 2]),
  );
  for (const name of TABLES) expect([name, (living[name] ?? 0) > 0]).toEqual([name, true]);

  const sweeper = sweeperOf(node);
  sweeper.start();
  await expect.poll(counts, { interval: 200 }).toEqual(living);
  await sweeper.stop();
});
