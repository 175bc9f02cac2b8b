import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyReply } from "fastify";
import type { Core, Scope } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { type Operator, ROLES, reach } from "../../../core/operator/operators.ts";
import {
  ABSOLUTE_SECONDS,
  type ConsoleSession,
  findConsoleSession,
} from "../../../core/operator/sessions.ts";
import type { App } from "../../app.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who asks on the console; set before anything else happens on its routes. */
    consoleSession: ConsoleSession | null;
  }
}

/** For the routes that anybody who is signed in may ask, though they change something. */
export const EVERYBODY = { roles: ROLES };
export const OPERATORS_ONLY = { roles: ["operator"] as const };
const CHANGERS: readonly string[] = ["operator", "admin"];

/**
 * For the routes that follow: nobody comes in without a living session, nobody changes anything without its CSRF token,
 * and nobody does what their role may not.
 */
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

/** The account that a request names, as far as the person may see it. Throws ACCOUNT_NOT_FOUND. */
export function accountOf(request: Asking, named: string | number): Scope {
  return reach(operatorOf(request), Number(named));
}

/** The account whose things a list shows; null: of the whole installation. Throws ACCOUNT_NOT_FOUND. */
export function accountsOf(request: Asking, named: string | undefined): number | null {
  const own = operatorOf(request).accountId;
  return named === undefined ? own : reach(operatorOf(request), Number(named)).accountId;
}

/**
 * Over https a name that only this very host can have set, and no plain connection. Over http, where several services of
 * one machine share their cookies, a name for each port.
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

/** `token` null: the browser forgets it. */
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

/** What the page sends beside the cookie, and other sites cannot read: it follows from the cookie. */
export function csrfToken(token: string): string {
  return createHmac("sha256", token).update("csrf").digest("base64url");
}

function isCsrfToken(token: string, given: string | string[] | undefined): boolean {
  const [expected, actual] = [Buffer.from(csrfToken(token)), Buffer.from(String(given ?? ""))];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
