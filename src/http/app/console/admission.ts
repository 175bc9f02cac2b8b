import { createHmac } from "node:crypto";
import type { FastifyReply } from "fastify";
import { isAccount } from "../../../core/account/accounts.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { type Operator, ROLES, reach } from "../../../core/operator/operators.ts";
import {
  ABSOLUTE_SECONDS,
  type ConsoleSession,
  findConsoleSession,
} from "../../../core/operator/sessions.ts";
import type { Scope } from "../../../core/scope.ts";
import { isSame } from "../../../platform/same.ts";
import type { App } from "../../app.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The user's session; set by the first hook of the console's routes. */
    consoleSession: ConsoleSession | null;
  }
}

/** For routes that change data but are open to every signed-in user. */
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
        description: "The X-CSRF-Token is missing or does not belong to the session",
      });
    const roles = request.routeOptions.config.roles ?? (reads ? ROLES : CHANGERS);
    if (!roles.includes(request.consoleSession.operator.role))
      throw new AppError("FORBIDDEN", { description: "Your role does not allow this" });
  });
}

/**
 * For the routes registered after it: the account in their path must exist, and the user must be allowed to see it.
 * Throws ACCOUNT_NOT_FOUND.
 */
export function requireAccounts(app: App, core: Core): void {
  app.addHook("onRequest", async (request) => {
    const { account } = request.params as { readonly account?: string };
    if (account === undefined) return;
    const { accountId } = accountOf(request, account);
    if (!(await isAccount(core.db, accountId))) throw new AppError("ACCOUNT_NOT_FOUND");
  });
}

type Asking = { readonly consoleSession: ConsoleSession | null };

/** The session of a route behind `admitOperators`. */
export function consoleOf({ consoleSession }: Asking): ConsoleSession {
  if (consoleSession === null) throw new Error("This route does not admit operators");
  return consoleSession;
}

export function operatorOf(request: Asking): Operator {
  return consoleOf(request).operator;
}

/** The account of a request, if the user may see it. Throws ACCOUNT_NOT_FOUND, also for an invalid id. */
export function accountOf(request: Asking, named: string | number): Scope {
  if (!/^(\d{8}|[12]\d{9})$/.test(String(named))) throw new AppError("ACCOUNT_NOT_FOUND");
  return reach(operatorOf(request), Number(named));
}

/** The account to which a list is limited; null: the whole installation. Throws ACCOUNT_NOT_FOUND. */
export function accountsOf(request: Asking, named: string | undefined): number | null {
  const own = operatorOf(request).accountId;
  return named === undefined ? own : reach(operatorOf(request), Number(named)).accountId;
}

/**
 * The name of the session cookie: over https, one that only this exact host can set; over http, one per port, because
 * services on one machine share their cookies. Cells with the same host have one each.
 */
function cookieName({ settings: { publicUrl, cell } }: Core): string {
  const { protocol, port } = new URL(publicUrl);
  const name = protocol === "https:" ? "__Host-trunkline" : `trunkline-console-${port || "80"}`;
  return cell === null ? name : `${name}-${cell}`;
}

export function sessionCookie(core: Core, header = ""): string | null {
  const name = `${cookieName(core)}=`;
  const found = header.split(/; */).find((each) => each.startsWith(name));
  return found === undefined ? null : found.slice(name.length);
}

/** `token` null deletes the cookie. `seconds`: until the session ends in any case. */
export function setSessionCookie(
  core: Core,
  reply: Pick<FastifyReply, "header">,
  token: string | null,
  seconds = ABSOLUTE_SECONDS,
): void {
  const secure = core.settings.publicUrl.startsWith("https:") ? "; Secure" : "";
  const age = token === null ? 0 : seconds;
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
  return isSame(given, csrfToken(token));
}
