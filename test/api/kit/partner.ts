import { createPartner, newPassword, type Partner } from "../../../src/core/account/partners.ts";
import { registerClient } from "../../../src/core/oauth/clients.ts";
import { type Answer, call } from "./call.ts";
import type { TestNode } from "./service.ts";

export interface TestPartner extends Partner {
  readonly password: string;
  /** Of its application, to which `REDIRECT` is registered. */
  readonly clientId: string;
  /** Headers of its requests. */
  readonly headers: { readonly authorization: string };
}

export const REDIRECT = "https://crm.example/callback?tenant=5";
let partners = 0;

export async function addPartner({ db }: TestNode): Promise<TestPartner> {
  const password = newPassword();
  const email = `partner-${++partners}@crm.example`;
  const partner = await createPartner(db, { email, name: "CRM & Co", password }, null);
  const facts = {
    partnerId: partner.id,
    name: "CRM <app>",
    redirectUris: ["https://crm.example/other", REDIRECT],
  };
  const client = await registerClient(db, facts, null);
  return { ...partner, password, clientId: client.id, headers: { authorization: basic(email, password) } };
}

export function basic(email: string, password: string): string {
  return `Basic ${Buffer.from(`${email}:${password}`).toString("base64")}`;
}

export const ACCOUNT = { name: "Demo Client", lang: "en", currency: "EUR", country: "DE", timezone: 2 };

/** A new account of the partner's. */
export async function addClientAccount(node: TestNode, { headers }: TestPartner): Promise<number> {
  const { json } = await call(node, "POST", "/v2/accounts", { headers, body: ACCOUNT });
  return (json as { data: { account: { account_id: number } } }).data.account.account_id;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly refresh_expires_in: number;
}

export function tokensOf({ json, text }: Answer): Tokens {
  const { data } = json as { data?: Tokens };
  if (data === undefined) throw new Error(`There are no tokens in ${text}`);
  return data;
}

/** `POST /v2/oauth/token` as the partner. */
export function askToken(
  node: { readonly url: string },
  { headers }: TestPartner,
  body: unknown,
): Promise<Answer> {
  return call(node, "POST", "/v2/oauth/token", { headers, body });
}

export const machineRequest = (scope = "transport,crm") => ({
  grant_type: "client_credentials",
  client_credentials_data: { scope },
});

export const exchangeRequest = (
  machineToken: string,
  accountId: number | string,
  scope = "transport,crm",
) => ({
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  token_exchange_data: {
    subject_token: machineToken,
    subject_token_type: "urn:example:oauth:token-type:machine_token",
    requested_subject: accountId,
    scope,
  },
});

export const refreshRequest = (refreshToken: string, clientId: string) => ({
  grant_type: "refresh_token",
  refresh_token_data: { refresh_token: refreshToken, client_id: clientId },
});

/** Tokens of one of the partner's accounts by simplified authorisation. */
export async function clientTokens(
  node: TestNode,
  partner: TestPartner,
  accountId: number,
  scope = "transport,crm",
): Promise<Tokens> {
  const machine = tokensOf(await askToken(node, partner, machineRequest()));
  return tokensOf(await askToken(node, partner, exchangeRequest(machine.access_token, accountId, scope)));
}
