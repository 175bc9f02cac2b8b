import { type Exchange, readBody } from "../../http/exchange.ts";
import { escapeHtml } from "../../http/html.ts";
import type { Waba } from "../account/account.ts";
import { announceTo } from "../account/partner.ts";
import type { Signup } from "../account/signup.ts";
import type { World } from "../world.ts";

/** `GET /v23.0/dialog/oauth`: the page where a person grants an app access to their account. */
export async function serveDialog(world: World, exchange: Exchange, path: string): Promise<void> {
  try {
    if (exchange.method === "POST" && path.endsWith("/confirm")) return await confirm(world, exchange);
    if (exchange.method === "GET" && path.endsWith("/dialog/oauth")) return open(world, exchange);
    page(exchange, 404, "<p>Sorry, this content isn't available right now</p>");
  } catch (error) {
    page(exchange, 400, `<p>${escapeHtml(error instanceof Error ? error.message : String(error))}</p>`);
  }
}

/** Ends a dialog with a code for the chosen accounts. Returns the redirect address. */
export function completeSignup(world: World, signup: Signup, wabas: readonly Waba[]): string {
  const app = world.app(signup.app_id);
  const code = world.signups.newCode(
    signup,
    wabas.map(({ id }) => id),
  );
  for (const waba of wabas) announceTo(world, app, waba, "PARTNER_ADDED");
  return leave(signup, { code: code.value });
}

/** Ends a dialog without a code, as if the person had closed it. */
export function cancelSignup(signup: Signup): string {
  return leave(signup, {
    error: "access_denied",
    error_code: "200",
    error_description: "Permissions error",
    error_reason: "user_denied",
  });
}

function leave(signup: Signup, result: Readonly<Record<string, string>>): string {
  const url = new URL(signup.redirect_uri);
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value);
  if (signup.state !== null) url.searchParams.set("state", signup.state);
  signup.redirect_url = url.href;
  return url.href;
}

function open(world: World, exchange: Exchange): void {
  const query = new URLSearchParams(exchange.query);
  const app = world.apps.get(query.get("client_id") ?? "");
  const redirectUri = query.get("redirect_uri") ?? "";
  if (!app) throw new Error("Invalid App ID: The provided app ID does not look like a valid app ID.");
  if (query.get("response_type") !== "code")
    throw new Error("Invalid parameter: response_type must be code.");
  const allowed = app.redirectUris.length === 0 || app.redirectUris.includes(redirectUri);
  if (!URL.canParse(redirectUri) || !allowed) {
    throw new Error(
      "URL blocked: This redirect failed because the redirect URI is not white-listed in the app's client OAuth settings.",
    );
  }
  const signup = world.signups.open({
    app_id: app.id,
    config_id: query.get("config_id"),
    redirect_uri: redirectUri,
    state: query.get("state"),
  });
  page(exchange, 200, form(world, signup, app.name));
}

function form(world: World, signup: Signup, appName: string): string {
  const options = [...world.wabas.values()]
    .filter(({ deleted }) => !deleted)
    .map(({ id, name }) => `<option value="${id}">${escapeHtml(name)} (${id})</option>`);
  return `<form method="post" action="oauth/confirm">
<p>Connect your WhatsApp Business Account to <b>${escapeHtml(appName)}</b></p>
<input type="hidden" name="signup" value="${signup.id}">
<select name="waba_id" aria-label="Account">${options.join("")}</select>
<button name="answer" value="continue">Continue</button>
<button name="answer" value="cancel">Cancel</button>
</form>`;
}

async function confirm(world: World, exchange: Exchange): Promise<void> {
  const body = new URLSearchParams((await readBody(exchange.request, 64 * 1024)).toString());
  const signup = world.signups.find(body.get("signup") ?? "");
  if (!signup || signup.redirect_url !== null) throw new Error("This dialog is over.");
  const waba = world.wabas.get(body.get("waba_id") ?? "");
  const isDone = body.get("answer") === "continue" && waba;
  const location = isDone ? completeSignup(world, signup, [waba]) : cancelSignup(signup);
  exchange.response.writeHead(302, { Location: location }).end();
}

function page(exchange: Exchange, status: number, content: string): void {
  const html = `<!doctype html><html lang="en"><title>WhatsApp Embedded Signup</title><body>${content}</body></html>`;
  exchange.response.writeHead(status, { "Content-Type": "text/html; charset=utf-8" }).end(html);
}
