import type { Exchange } from "../../http/exchange.ts";
import { tokenError } from "../../meta/graph-error.ts";
import { isSameSecret } from "../../meta/signature.ts";
import { tokenFault } from "../../meta/token-fault.ts";
import { type Login, loginOf } from "../login/token.ts";
import type { World } from "../world.ts";
import type { Caller } from "./call.ts";

/** The token: from the header, the query, or the form. */
export function tokenText(exchange: Exchange, values: Readonly<Record<string, unknown>>): string | undefined {
  const bearer = /^(?:Bearer|OAuth)\s+(.+)$/i.exec(exchange.request.headers.authorization ?? "")?.[1];
  const given = bearer ?? new URLSearchParams(exchange.query).get("access_token") ?? values["access_token"];
  return typeof given === "string" && given !== "" ? given : undefined;
}

/** The caller, or Meta's error for a token that is invalid on this host. */
export function authenticate(world: World, login: Login, text: string | undefined): Caller {
  if (text === undefined) throw tokenError("An access token is required to request this resource.", 104);
  const token = world.tokens.get(text);
  if (!token) return authenticateApp(world, text);
  const app = world.apps.get(token.appId);
  if (!app || loginOf(token) !== login) throw unreadable();
  const fault = tokenFault(token, world.clock);
  if (fault) throw fault;
  return { app, token };
}

/** `APP_ID|APP_SECRET` */
function authenticateApp(world: World, text: string): Caller {
  const [appId = "", secret] = text.split("|");
  const app = world.apps.get(appId);
  if (app && secret !== undefined && isSameSecret(secret, app.secret)) return { app, token: undefined };
  throw unreadable();
}

function unreadable() {
  return tokenError("Invalid OAuth access token - Cannot parse access token", 190);
}
