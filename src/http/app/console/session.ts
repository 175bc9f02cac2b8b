import { type Static, Type } from "typebox";
import { actAs } from "../../../core/audit/actor.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { findLink, redeemLink } from "../../../core/operator/links.ts";
import type { Operator, Role } from "../../../core/operator/operators.ts";
import { leaveConsole } from "../../../core/operator/provider-sign-in.ts";
import { openConsoleSession } from "../../../core/operator/sessions.ts";
import { signIn } from "../../../core/operator/sign-in.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { consoleOf, csrfToken, EVERYBODY, sessionCookie, setSessionCookie } from "./admission.ts";

const tags = ["console"];
const text = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description });
const login = text(100, "The login");
const password = text(1_000, "At least twelve characters");

export const role = Type.Unsafe<Role>({ type: "string", enum: ["operator", "admin", "viewer"] });
export const nullableAccount = Type.Unsafe<number | null>({
  type: ["integer", "null"],
  description: "Id of the account; null: the whole installation",
});
export const operatorShape = Type.Object({
  id: Type.String({ description: "Id of the user" }),
  login: Type.String({ description: "The login" }),
  role,
  accountId: nullableAccount,
  hasSecondFactor: Type.Boolean({ description: "Whether login requires a code in addition to the password" }),
  isFromProvider: Type.Boolean({
    description: "Whether the user signs in at the OpenID Connect provider, which decides about the role",
  }),
});
const session = Type.Object({
  operator: operatorShape,
  csrf: Type.String({ description: "Send it as `X-CSRF-Token` with every request that changes something" }),
});

/** Sign-in with a password or a one-time link; without a session. */
export function signInRoutes(app: App, core: Core): void {
  app.post(
    "/app/api/console/sign-in",
    {
      schema: {
        operationId: "signIn",
        tags,
        summary: "Sign in to the console; the session is in a cookie",
        body: Type.Object({
          login,
          password,
          code: Type.Optional(Type.String({ maxLength: 20, description: "Of the authenticator app" })),
        }),
        response: {
          200: Type.Object({
            needsCode: Type.Boolean({
              description: "true: the password is correct, and a code is also required",
            }),
          }),
          ...errorAnswers,
        },
      },
      config: { errors: ["INVALID_APIKEY", "FORBIDDEN", "TOO_MANY_LOGINS"] },
    },
    async ({ body, ip, headers }, reply) => {
      const origin = { address: ip, agent: headers["user-agent"] ?? "" };
      const actor = { kind: "console", id: body.login.trim().toLowerCase(), from: ip } as const;
      const result = await actAs(actor, () => signIn(core, { ...body, code: body.code ?? null, ...origin }));
      if (result.kind === "refused")
        throw new AppError("INVALID_APIKEY", { description: "The name, the password or the code is wrong" });
      if (result.kind === "in") setSessionCookie(core, reply, result.token);
      return { needsCode: result.kind === "code" };
    },
  );
  linkRoutes(app, core);
}

function linkRoutes(app: App, core: Core): void {
  const link = text(200, "From the link's address");
  app.post(
    "/app/api/console/links/questions",
    {
      schema: {
        operationId: "readLink",
        tags,
        summary: "Get the purpose of a one-time link, without using it",
        body: Type.Object({ link }),
        response: {
          200: Type.Object({
            purpose: Type.Unsafe<"first" | "invite" | "reset">({
              type: "string",
              enum: ["first", "invite", "reset"],
            }),
            role,
            accountId: nullableAccount,
            login: {
              ...nullableString,
              description: "The login whose password is set; null: the person chooses one",
            },
          }),
          ...errorAnswers,
        },
      },
      config: { errors: ["NOT_FOUND"] },
    },
    async ({ body }) => (await findLink(core, body.link)) ?? refuseLink(),
  );
  app.post(
    "/app/api/console/links",
    {
      schema: {
        operationId: "redeemLink",
        tags,
        summary: "Use a one-time link: set a password and sign in",
        body: Type.Object({ link, login: Type.Optional(login), password }),
        response: { 200: Type.Object({ needsCode: Type.Boolean() }), ...errorAnswers },
      },
      config: { errors: ["NOT_FOUND"] },
    },
    async ({ body, ip, headers }, reply) => {
      const actor = { kind: "console", id: (body.login ?? "").trim().toLowerCase(), from: ip } as const;
      const token = await actAs(actor, async () => {
        const id = await redeemLink(core, { ...body, login: body.login ?? "" });
        return openConsoleSession(core, id, { address: ip, agent: headers["user-agent"] ?? "" });
      });
      setSessionCookie(core, reply, token);
      return { needsCode: false };
    },
  );
}

function refuseLink(): never {
  throw new AppError("NOT_FOUND", { description: "This link is used, expired or unknown" });
}

/** The signed-in user, and sign-out. */
export function sessionRoutes(app: App, core: Core): void {
  app.get(
    "/app/api/console/session",
    {
      schema: {
        operationId: "getSession",
        tags,
        summary: "Get the signed-in user",
        response: { 200: session, ...errorAnswers },
      },
    },
    async (request) => ({
      operator: operatorFields(consoleOf(request).operator),
      csrf: csrfToken(sessionCookie(core, request.headers.cookie) ?? ""),
    }),
  );
  app.delete(
    "/app/api/console/session",
    {
      schema: {
        operationId: "signOut",
        tags,
        summary: "Sign out",
        response: {
          200: Type.Object({
            url: {
              ...nullableString,
              description: "Where the browser ends its session at the provider; null: nowhere",
            },
          }),
          ...errorAnswers,
        },
      },
      config: EVERYBODY,
    },
    async (request, reply) => {
      const url = await leaveConsole(core, consoleOf(request));
      setSessionCookie(core, reply, null);
      return { url };
    },
  );
}

export function operatorFields(operator: Operator): Static<typeof operatorShape> {
  const { id, login: name, role: its, accountId, hasSecondFactor, isFromProvider } = operator;
  return { id, login: name, role: its, accountId, hasSecondFactor, isFromProvider };
}
