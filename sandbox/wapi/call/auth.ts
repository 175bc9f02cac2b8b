import type { Exchange } from "../../http/exchange.ts";
import { GraphError, tokenError } from "../../meta/graph-error.ts";
import { appSecretProof, isSameSecret } from "../../meta/signature.ts";
import { tokenFault } from "../../meta/token-fault.ts";
import type { App, Waba } from "../account/account.ts";
import type { World } from "../world.ts";
import type { Scope, Token } from "./token.ts";
import { whatsAppError } from "./whatsapp-error.ts";

/** The caller: a token of an app, or the app itself (`APP_ID|APP_SECRET`). */
export interface Caller {
  readonly app: App;
  /** Undefined for the app itself. */
  readonly token: Token | undefined;
}

/** The token: from the header, else from the query. */
export function tokenText(exchange: Exchange): string | undefined {
  const header = exchange.request.headers.authorization ?? "";
  const bearer = /^(?:Bearer|OAuth)\s+(.+)$/i.exec(header)?.[1];
  return bearer ?? new URLSearchParams(exchange.query).get("access_token") ?? undefined;
}

/** The caller, or Meta's error for an invalid token. */
export function authenticate(world: World, exchange: Exchange): Caller {
  const text = tokenText(exchange);
  if (!text) throw tokenError("An access token is required to request this resource.", 104);
  const caller = findCaller(world, text);
  if (!caller) throw tokenError("Invalid OAuth access token - Cannot parse access token", 190);
  checkProof(caller.app, text, new URLSearchParams(exchange.query).get("appsecret_proof"));
  const fault = caller.token && tokenFault(caller.token, world.clock);
  if (fault) throw fault;
  return caller;
}

/** The caller of a token; undefined if it was never issued. */
export function findCaller(world: World, text: string): Caller | undefined {
  const token = world.tokens.get(text);
  const [appId = "", secret] = token ? [token.appId] : text.split("|");
  const app = world.apps.get(appId);
  if (!app) return undefined;
  if (token) return { app, token };
  return secret !== undefined && isSameSecret(secret, app.secret) ? { app, token: undefined } : undefined;
}

function checkProof(app: App, token: string, proof: string | null): void {
  if (proof === null && !app.requireProof) return;
  const message =
    proof === null
      ? "API calls from the server require an appsecret_proof argument"
      : "Invalid appsecret_proof provided in the API argument";
  if (proof !== null && isSameSecret(proof, appSecretProof(app.secret, token))) return;
  throw new GraphError(message, { status: 400, type: "GraphMethodException", code: 100 });
}

/** Whether the caller has access to the account; other accounts do not exist for it. */
export function mayUse({ token }: Caller, waba: Waba): boolean {
  return token !== undefined && (token.wabaIds?.includes(waba.id) ?? true);
}

/** Refuses a token without the permission. */
export function needScope({ token }: Caller, scope: Scope): void {
  if (token?.scopes.includes(scope)) return;
  throw whatsAppError(scope === "whatsapp_business_messaging" ? 10 : 200);
}
