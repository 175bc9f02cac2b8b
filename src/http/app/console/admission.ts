import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyReply } from "fastify";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { type Operator, ROLES, reach } from "../../../core/operator/operators.ts";
import {
  ABSOLUTE_SECONDS,
  type ConsoleSession,
  findConsoleSession,
} from "../../../core/operator/sessions.ts";
import type { Scope } from "../../../core/scope.ts";
import type { App } from "../../app.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The user's session; set before anything else on the console's routes. */
    consoleSession: ConsoleSession | null;
  }
}

/** For routes that change something but are open to every signed-in user. */
export const EVERYBODY = { roles: ROLES };
export const OPERATORS_ONLY = { roles: ["operator"] as const };
const CHANGERS: readonly string[] = ["operator", "admin"];

/** For the routes registered after it: requires a valid session, its CSRF token for changes, and a permitted role. */
export function admitOperators(app: App, core: Core): void {
  app.addHook("onRequest", async (request) => {
    const token = sessionCookie(core, request.headers.cookie);
    const active = request.headers["x-background"] !== "1";
    request.consoleSession = token === null ? null : await findConsoleSession(core.db, token, { active });
    if (request.consoleSession === null || token === null) throw new AppError("INVALID_APIKEY");
    const reads = request.method === "GET" || request.method === "HEAD";
    if (!reads && !isCsrfToken(token, request.headers["x-csrf-token"]))
      throw new AppError("FORBIDDEN", {
        description: "The X-CSRF-Token is missing or not that of the session",
      });
    const roles = request.routeOptions.config.roles ?? (reads ? ROLES : CHANGERS);
    if (!roles.includes(request.consoleSession.operator.role))
      throw new AppError("FORBIDDEN", { description: "Your role does not allow this" });
  });
}

type Asking = { readonly consoleSession: ConsoleSession | null };

/** The session of a route behind `admitOperators`. */
export function consoleOf({ consoleSession }: Asking): ConsoleSession {
  if (consoleSession === null) throw new Error("This route has no admission of operators");
  return consoleSession;
}

export function operatorOf(request: Asking): Operator {
  return consoleOf(request).operator;
}

/** The account that a request names, if the user may see it. Throws ACCOUNT_NOT_FOUND, also for what is no id. */
export function accountOf(request: Asking, named: string | number): Scope {
  if (!/^\d{8}$/.test(String(named))) throw new AppError("ACCOUNT_NOT_FOUND");
  return reach(operatorOf(request), Number(named));
}

/** The account to which a list is limited; null: the whole installation. Throws ACCOUNT_NOT_FOUND. */
export function accountsOf(request: Asking, named: string | undefined): number | null {
  const own = operatorOf(request).accountId;
  return named === undefined ? own : reach(operatorOf(request), Number(named)).accountId;
}

/**
 * Over https, a name that only this exact host can set. Over http, where services of one machine share their cookies,
 * a name per port.
 */
function cookieName({ settings }: Core): string {
  const { protocol, port } = new URL(settings.publicUrl);
  return protocol === "https:" ? "__Host-trunkline" : `trunkline-console-${port || "80"}`;
}

export function sessionCookie(core: Core, header = ""): string | null {
  const name = `${cookieName(core)}=`;
  const found = header.split(/; */).find((each) => each.startsWith(name));
  return found === undefined ? null : found.slice(name.length);
}

/** `token` null deletes the cookie. */
export function setSessionCookie(
  core: Core,
  reply: Pick<FastifyReply, "header">,
  token: string | null,
): void {
  const secure = core.settings.publicUrl.startsWith("https:") ? "; Secure" : "";
  const age = token === null ? 0 : ABSOLUTE_SECONDS;
  reply.header(
    "set-cookie",
    `${cookieName(core)}=${token ?? ""}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`,
  );
}

/** The CSRF token, derived from the cookie, which other sites cannot read. */
export function csrfToken(token: string): string {
  return createHmac("sha256", token).update("csrf").digest("base64url");
}

function isCsrfToken(token: string, given: string | string[] | undefined): boolean {
  const [expected, actual] = [Buffer.from(csrfToken(token)), Buffer.from(String(given ?? ""))];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
