import { randomBytes } from "node:crypto";
import { type Exchange, readBody } from "../http/exchange.ts";
import { escapeHtml } from "../http/html.ts";
import type { Numbered } from "../journal.ts";
import type { Consent } from "./consent-journal.ts";
import { type Scope, scopes } from "./token-store.ts";
import type { World } from "./world.ts";

export const consentPath = "/oauth";

export function findConsent(world: World, id: string): Numbered<Consent> | undefined {
  return world.consents.list({ where: (consent) => consent.id === id })[0];
}

/** `GET /oauth`: the page where a seller gives an application access; on the platform at avito.ru. */
export async function serveConsent(world: World, exchange: Exchange): Promise<void> {
  try {
    if (exchange.method === "POST") await decide(world, exchange);
    else open(world, exchange);
  } catch (error) {
    page(exchange, 400, `<p>${escapeHtml(error instanceof Error ? error.message : String(error))}</p>`);
  }
}

/** The person consents, for one account. Returns the redirect address, with a code. */
export function agree(world: World, consent: Consent, accountId: number): string {
  const { client_id: clientId, scopes: granted } = consent;
  const { value } = world.tokens.newCode({ clientId, accountId, scopes: granted });
  return leave(consent, { code: value });
}

/** The person denies access. */
export function decline(consent: Consent): string {
  return leave(consent, { error: "access_denied" });
}

function leave(consent: Consent, result: Readonly<Record<string, string>>): string {
  const url = new URL(consent.redirect_uri);
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value);
  if (consent.state !== null) url.searchParams.set("state", consent.state);
  consent.redirect_url = url.href;
  return url.href;
}

function open(world: World, exchange: Exchange): void {
  const query = new URLSearchParams(exchange.query);
  const app = world.apps.get(query.get("client_id") ?? "");
  if (!app) throw new Error("unknown client_id");
  if (query.get("response_type") !== "code") throw new Error("response_type must be code");
  const redirectUri = query.get("redirect_uri") ?? app.redirectUri;
  if (redirectUri !== app.redirectUri) throw new Error("redirect_uri is not the registered one");
  const consent = world.consents.append({
    id: randomBytes(8).toString("hex"),
    client_id: app.clientId,
    scopes: readScopes(query.get("scope") ?? ""),
    state: query.get("state"),
    redirect_uri: redirectUri,
    opened_at: world.clock.now(),
    redirect_url: null,
  });
  page(exchange, 200, form(world, consent, app.name));
}

function readScopes(text: string): Scope[] {
  return text.split(/[ ,]+/).map((name) => {
    const scope = scopes.find((known) => known === name);
    if (!scope) throw new Error(`unknown scope ${name}`);
    return scope;
  });
}

function form(world: World, consent: Consent, appName: string): string {
  const options = [...world.accounts.values()].map(
    ({ id, name }) => `<option value="${id}">${escapeHtml(name)} (${id})</option>`,
  );
  return `<form method="post">
<p><b>${escapeHtml(appName)}</b> asks for: ${escapeHtml(consent.scopes.join(", "))}</p>
<input type="hidden" name="consent" value="${consent.id}">
<select name="account_id" aria-label="Account">${options.join("")}</select>
<button name="answer" value="allow">Allow</button>
<button name="answer" value="deny">Deny</button>
</form>`;
}

async function decide(world: World, exchange: Exchange): Promise<void> {
  const body = new URLSearchParams((await readBody(exchange.request, 64 * 1024)).toString());
  const consent = findConsent(world, body.get("consent") ?? "");
  if (!consent || consent.redirect_url !== null) throw new Error("This page is over.");
  const account = world.accounts.get(Number(body.get("account_id")));
  const location =
    body.get("answer") === "allow" && account ? agree(world, consent, account.id) : decline(consent);
  exchange.response.writeHead(302, { Location: location }).end();
}

function page(exchange: Exchange, status: number, content: string): void {
  const html = `<!doctype html><html lang="en"><title>Avito</title><body>${content}</body></html>`;
  exchange.response.writeHead(status, { "Content-Type": "text/html; charset=utf-8" }).end(html);
}
