import { Type } from "typebox";
import { createAccount, listAccounts } from "../../../core/account/accounts.ts";
import { isFrameOrigin, setFrameOrigins } from "../../../core/account/frame-origins.ts";
import { createToken, listTokens, TOKEN_KINDS, type TokenKind } from "../../../core/account/tokens.ts";
import { listFrameOrigins } from "../../../core/console/frames.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { revokeAny } from "../../../core/oauth/revoke.ts";
import type { App } from "../../app.ts";
import { faultyFields } from "../../schema/fields.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { accountOf, OPERATORS_ONLY, operatorOf } from "./admission.ts";
import { accountPath, time, timeOrNull } from "./shapes.ts";

const tags = ["console"];
const account = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  createdAt: Type.String(),
  frameOrigins: Type.Unsafe<string[] | null>({
    type: ["array", "null"],
    items: { type: "string" },
    description: "Sites that may embed its pages; null: any",
  }),
});
const kind = Type.Unsafe<TokenKind>({ type: "string", enum: [...TOKEN_KINDS] });

/** Accounts with their tokens. */
export function accountRoutes(app: App, core: Core): void {
  app.get(
    "/app/api/console/accounts",
    {
      schema: {
        operationId: "listConsoleAccounts",
        tags,
        summary: "List the accounts that the user may see",
        response: { 200: Type.Array(account), ...errorAnswers },
      },
    },
    async (request) => {
      const { accountId: own } = operatorOf(request);
      const accounts = await listAccounts(core.db);
      const origins = await listFrameOrigins(core.db);
      return accounts
        .filter(({ id }) => own === null || id === own)
        .map(({ id, name, createdAt }) => ({
          id,
          name,
          createdAt: time(createdAt),
          frameOrigins: origins.get(id) ?? null,
        }));
    },
  );
  app.post(
    "/app/api/console/accounts",
    {
      schema: {
        operationId: "createConsoleAccount",
        tags,
        summary: "Create an account with a token for each interface, returned only once",
        body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }),
        response: {
          200: Type.Object({
            accountId: Type.Integer(),
            accessToken: Type.String({ description: "For /v2" }),
            apiKey: Type.String({ description: "For /v3" }),
          }),
          ...errorAnswers,
        },
      },
      config: OPERATORS_ONLY,
    },
    ({ body }) => createAccount(core.db, body),
  );
  frameRoute(app, core);
  listTokensRoute(app, core);
  createTokenRoute(app, core);
  revokeTokenRoute(app, core);
}

function frameRoute(app: App, core: Core): void {
  app.post(
    "/app/api/console/accounts/:account/frames",
    {
      schema: {
        operationId: "setFrameOrigins",
        tags,
        summary: "Set the sites that may embed the pages of an account",
        params: accountPath,
        body: Type.Object({
          any: Type.Boolean({ description: "true: any site may" }),
          origins: Type.Optional(Type.Array(Type.String({ maxLength: 300 }), { maxItems: 50 })),
        }),
        response: { 200: Type.Object({}), ...errorAnswers },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request) => {
      const scope = accountOf(request, request.params.account);
      const { any, origins = [] } = request.body;
      const faulty = origins.filter((each) => !isFrameOrigin(each));
      if (faulty.length > 0)
        throw faultyFields([{ field: "origins", message: "must be origins such as https://crm.example" }]);
      if (!(await setFrameOrigins(core.db, scope, any ? null : origins)))
        throw new AppError("ACCOUNT_NOT_FOUND");
      return {};
    },
  );
}

function listTokensRoute(app: App, core: Core): void {
  app.get(
    "/app/api/console/accounts/:account/tokens",
    {
      schema: {
        operationId: "listTokens",
        tags,
        summary: "List the tokens of an account",
        params: accountPath,
        response: {
          200: Type.Array(
            Type.Object({
              id: Type.String(),
              kind,
              hint: Type.String({ description: "Its last four characters" }),
              createdAt: Type.String(),
              lastUsedAt: nullableString,
              expiresAt: nullableString,
              revokedAt: nullableString,
              application: { ...nullableString, description: "The application that OAuth issued it to" },
            }),
          ),
          ...errorAnswers,
        },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request) => {
      const tokens = await listTokens(core.db, accountOf(request, request.params.account));
      return tokens.map((each) => ({
        ...each,
        createdAt: time(each.createdAt),
        lastUsedAt: timeOrNull(each.lastUsedAt),
        expiresAt: timeOrNull(each.expiresAt),
        revokedAt: timeOrNull(each.revokedAt),
      }));
    },
  );
}

function createTokenRoute(app: App, core: Core): void {
  app.post(
    "/app/api/console/accounts/:account/tokens",
    {
      schema: {
        operationId: "createToken",
        tags,
        summary: "Create a token, returned only once",
        params: accountPath,
        body: Type.Object({ kind }),
        response: {
          200: Type.Object({ id: Type.String(), token: Type.String() }),
          ...errorAnswers,
        },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request) => {
      const { accountId } = accountOf(request, request.params.account);
      return createToken(core.db, accountId, request.body.kind);
    },
  );
}

function revokeTokenRoute(app: App, core: Core): void {
  const params = Type.Object({ ...accountPath.properties, token: Type.String({ description: "Its id" }) });
  app.delete(
    "/app/api/console/accounts/:account/tokens/:token",
    {
      schema: {
        operationId: "revokeToken",
        tags,
        summary: "Revoke a token; an OAuth token with its whole grant",
        params,
        response: { 200: Type.Object({}), ...errorAnswers },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND", "NOT_FOUND"] },
    },
    async (request) => {
      const scope = accountOf(request, request.params.account);
      const { token } = request.params;
      const isOwn = (await listTokens(core.db, scope)).some(({ id }) => id === token);
      if (!isOwn || !(await revokeAny(core, token))) throw new AppError("NOT_FOUND");
      return {};
    },
  );
}
