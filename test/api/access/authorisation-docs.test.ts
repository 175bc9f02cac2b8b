import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerClient } from "../../../src/core/oauth/clients.ts";
import { issueCode } from "../../../src/core/oauth/code.ts";
import { newSecret } from "../../../src/platform/ids.ts";
import { type Answer, call } from "../kit/call.ts";
import { addPartner, basic, type TestPartner, type Tokens, tokensOf } from "../kit/partner.ts";
import { addAccount, startNode, type TestNode } from "../kit/service.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../../docs/authorisation.md"), "utf8");
const LINES = [...PAGE.matchAll(/```sh\ncurl \$URL(\S+) -u "\$EMAIL:\$PASSWORD" .* -d '(.*)'\n```/g)];

let node: TestNode;
let partner: TestPartner;

beforeAll(async () => {
  node = await startNode();
  partner = await addPartner(node);
});
afterAll(() => node.stop());

/** The line of the page with this word in its body, as a shell would send it. */
function send(word: string, variables: Readonly<Record<string, string>>): Promise<Answer> {
  const [, path = "", written = ""] = LINES.find(([, , body]) => body?.includes(word)) ?? [];
  const raw = written.replace(/'\$(\w+)'/g, (_, name: string) => variables[name] ?? `no ${name}`);
  const headers = { authorization: basic(partner.email, partner.password) };
  return call(node, "POST", path, { raw, headers });
}

test("the commands of the page do what it says, one after the other", async () => {
  expect(LINES).toHaveLength(6);
  const made = await send("Demo Client", {});
  const { account_id: id } = (made.json as { data: { account: { account_id: number } } }).data.account;
  const machine = tokensOf(await send("client_credentials_data", {}));
  const variables = { MACHINE_TOKEN: machine.access_token, ACCOUNT_ID: String(id) };
  const exchanged = tokensOf(await send("token_exchange_data", variables));
  const refreshed = await refresh(exchanged, partner.clientId);
  expect(await opens(refreshed)).toBe(200);
  expect((await send('"token"', { REFRESH_TOKEN: refreshed.refresh_token })).status).toBe(200);
  await expect.poll(() => opens(refreshed)).toBe(401);
});

test("so does the command for a code", async () => {
  const account = await addAccount(node.db);
  const redirectUri = "https://crm.example/callback";
  const facts = { partnerId: partner.id, name: "CRM", redirectUris: [redirectUri] };
  const client = await registerClient(node.db, facts, null);
  const verifier = newSecret(48);
  const code = await issueCode(node.core, {
    accountId: account.id,
    clientId: client.id,
    redirectUri,
    scope: ["transport"],
    challenge: createHash("sha256").update(verifier).digest(),
  });
  const variables = { CODE: code, CLIENT_ID: client.id, CODE_VERIFIER: verifier };
  const tokens = tokensOf(await send("authorize_code_data", variables));
  expect(await opens(tokens)).toBe(200);
  expect(await opens(await refresh(tokens, client.id))).toBe(200);
});

async function refresh(tokens: Tokens, clientId: string): Promise<Tokens> {
  const variables = { REFRESH_TOKEN: tokens.refresh_token, CLIENT_ID: clientId };
  return tokensOf(await send("refresh_token_data", variables));
}

async function opens({ access_token: token }: Tokens): Promise<number> {
  return (await call(node, "GET", "/v2/channels", { token })).status;
}
