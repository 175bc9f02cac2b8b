import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../../src/platform/log.ts";
import { call } from "../kit/call.ts";
import {
  addClientAccount,
  addPartner,
  askToken,
  basic,
  clientTokens,
  exchangeRequest,
  machineRequest,
  REDIRECT,
  refreshRequest,
  type TestPartner,
  tokensOf,
} from "../kit/partner.ts";
import { addAccount, startNode, type TestNode } from "../kit/service.ts";

let node: TestNode;
let partner: TestPartner;
const lines: string[] = [];

beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(line) };
  node = await startNode({ log: createLog({ level: "trace", pretty: false, destination }) });
  partner = await addPartner(node);
});
afterAll(() => node.stop());

test("passwords, tokens, codes, keys and cookies never appear in the log", async () => {
  const account = await addAccount(node.db);
  const machine = tokensOf(await askToken(node, partner, machineRequest()));
  const own = await addClientAccount(node, partner);
  const first = await clientTokens(node, partner, own);
  const refresh = (token: string) => askToken(node, partner, refreshRequest(token, partner.clientId));
  const second = tokensOf(await refresh(first.refresh_token));
  await refresh(first.refresh_token);

  const query = new URLSearchParams({
    response_type: "code",
    client_id: partner.clientId,
    redirect_uri: REDIRECT,
    scope: "crm",
    state: "a-state-that-is-secret",
    code_challenge: "a".repeat(43),
    code_challenge_method: "S256",
  });
  const page = await call(node, "GET", `/v2/oauth/authorize?${query}`);
  const cookie = String(page.headers["set-cookie"]).split(";")[0] ?? "";
  const form = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
  await call(node, "POST", `/v2/oauth/authorize?${query}`, {
    raw: new URLSearchParams({ form_token: form, action: "sign-in", key: account.api }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", cookie },
  });
  await askToken(node, { ...partner, headers: { authorization: basic(partner.email, "a wrong guess") } }, {});
  await askToken(node, partner, {
    grant_type: "authorization_code",
    authorize_code_data: {
      code: "a-code-that-is-secret",
      redirect_uri: REDIRECT,
      client_id: partner.clientId,
      code_verifier: "verifier".repeat(8),
    },
  });

  await node.db.query("alter table oauth_grants rename to away");
  expect((await refresh(second.refresh_token)).status).toBe(500);
  expect((await askToken(node, partner, exchangeRequest(machine.access_token, own))).status).toBe(500);

  const text = lines.join("");
  expect(text).toContain("request failed");
  expect(text).toContain("a partner's password was refused");
  expect(text).toContain("/v2/oauth/authorize");
  const secrets = [
    partner.password,
    partner.headers.authorization.slice("Basic ".length),
    "a wrong guess",
    ...[machine, first, second].flatMap((pair) => [pair.access_token, pair.refresh_token]),
    account.api,
    cookie.split("=")[1] ?? "",
    form,
    "a-state-that-is-secret",
    "a-code-that-is-secret",
    "verifierverifier",
    "argon2id",
  ];
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(5);
    expect(text).not.toContain(secret);
  }
});
