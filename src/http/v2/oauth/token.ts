import { type Static, Type } from "typebox";
import { parseScope } from "../../../core/account/oauth-scope.ts";
import type { Partner } from "../../../core/account/partners.ts";
import { hashToken } from "../../../core/account/tokens.ts";
import type { Core } from "../../../core/core.ts";
import { refuseForeignAccount } from "../../../core/move/foreign-account.ts";
import { redeemCode } from "../../../core/oauth/code.ts";
import { ACCESS_SECONDS, REFRESH_SECONDS, type TokenPair } from "../../../core/oauth/grants.ts";
import { exchangeToken, issueMachineToken } from "../../../core/oauth/machine.ts";
import { refreshTokens } from "../../../core/oauth/refresh.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, partnerOf } from "../../app.ts";
import { faultyFields } from "../../schema/fields.ts";
import { accountId, errorAnswers, patterned, strictObject } from "../../schema/shapes.ts";
import { envelope, enveloped } from "../envelope.ts";
import { acceptForms } from "./form.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

/** The object of the body that each grant requires. */
const DATA_OF = {
  client_credentials: "client_credentials_data",
  [EXCHANGE]: "token_exchange_data",
  refresh_token: "refresh_token_data",
  authorization_code: "authorize_code_data",
} as const;
type GrantType = keyof typeof DATA_OF;

export const GRANT_TYPES = Object.keys(DATA_OF);

const TITLE_OF: Readonly<Record<GrantType, string>> = {
  client_credentials: "ClientCredentialsGrant",
  [EXCHANGE]: "TokenExchangeGrant",
  refresh_token: "RefreshTokenGrant",
  authorization_code: "AuthorizationCodeGrant",
};

/** The example of RFC 7636, appendix B. */
const VERIFIER_EXAMPLE = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

const secret = Type.String({ minLength: 1, maxLength: 512 });
const scope = patterned("scope", { maxLength: 200, examples: ["transport,crm"] });
const clientId = Type.String({ minLength: 1, maxLength: 200 });

const body = strictObject(
  {
    grant_type: Type.Unsafe<GrantType>({ type: "string", enum: Object.keys(DATA_OF) }),
    client_credentials_data: Type.Optional(strictObject({ scope })),
    token_exchange_data: Type.Optional(
      strictObject({
        subject_token: secret,
        subject_token_type: patterned("subjectTokenType", {
          maxLength: 200,
          examples: ["urn:trunkline:oauth:token-type:machine_token"],
        }),
        requested_subject: accountId,
        scope,
      }),
    ),
    refresh_token_data: Type.Optional(strictObject({ refresh_token: secret, client_id: clientId })),
    authorize_code_data: Type.Optional(
      strictObject({
        code: secret,
        redirect_uri: Type.String({ minLength: 1, maxLength: 2_000 }),
        client_id: clientId,
        code_verifier: patterned("codeVerifier", { examples: [VERIFIER_EXAMPLE] }),
      }),
    ),
  },
  { allOf: Object.keys(DATA_OF).map((grant) => needsOwnData(grant as GrantType)) },
);
type Body = Static<typeof body>;

/** The object of the grant is required, those of other grants are not allowed. */
function needsOwnData(grant: GrantType): object {
  const others = Object.values(DATA_OF).filter((name) => name !== DATA_OF[grant]);
  return {
    if: { properties: { grant_type: { const: grant } }, required: ["grant_type"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      title: TITLE_OF[grant],
      required: [DATA_OF[grant]],
      properties: Object.fromEntries(others.map((name) => [name, false])),
    },
  };
}

const answer = envelope(
  Type.Object({
    access_token: Type.String(),
    refresh_token: Type.String(),
    token_type: Type.Literal("Bearer"),
    expires_in: Type.Integer({ description: "Seconds" }),
    refresh_expires_in: Type.Integer({ description: "Seconds" }),
  }),
);

/** The fields of a form that belong to each grant (RFC 6749, RFC 7636, RFC 8693); others are ignored. */
const FORM_FIELDS: Readonly<Record<GrantType, readonly string[]>> = {
  client_credentials: ["scope"],
  [EXCHANGE]: ["subject_token", "subject_token_type", "requested_subject", "scope"],
  refresh_token: ["refresh_token", "client_id"],
  authorization_code: ["code", "redirect_uri", "client_id", "code_verifier"],
};

function bodyOfForm({ grant_type: grant, ...fields }: Readonly<Record<string, string>>): unknown {
  const known = Object.entries(FORM_FIELDS).find(([name]) => name === grant) as
    | [GrantType, readonly string[]]
    | undefined;
  if (known === undefined) return { grant_type: grant };
  const [name, own] = known;
  const data = Object.fromEntries(Object.entries(fields).filter(([field]) => own.includes(field)));
  return { grant_type: grant, [DATA_OF[name]]: data };
}

/** `POST /v2/oauth/token`, which takes JSON, and forms as any library for OAuth sends them. */
export function tokenRoute(app: App, core: Core): void {
  app.register(async (own: App) => {
    acceptForms(own, { bodyOf: bodyOfForm });
    issueRoute(own, core);
  });
}

function issueRoute(app: App, core: Core): void {
  app.post(
    "/v2/oauth/token",
    {
      schema: {
        operationId: "issueToken",
        tags: ["oauth"],
        summary: "Issue tokens for a partner's password, a machine token, a refresh token or a code",
        body,
        response: { 200: answer, ...errorAnswers },
      },
      config: {
        errors: ["INVALID_GRANT", "INVALID_CLIENT", "INVALID_SCOPE", "ACCOUNT_NOT_FOUND"],
        secretAnswer: true,
      },
    },
    async (request, reply) => {
      await refuseElsewhere(core, request.body);
      return answerOnce(core, request, reply, async (operationId) => {
        const pair = await grantOf(core, { partner: partnerOf(request), operationId }, request.body);
        return enveloped(core, {
          access_token: pair.accessToken,
          refresh_token: pair.refreshToken,
          token_type: "Bearer" as const,
          expires_in: ACCESS_SECONDS,
          refresh_expires_in: REFRESH_SECONDS,
        });
      });
    },
  );
}

/** Throws `AccountElsewhere` if the request is for an account in another cell. */
async function refuseElsewhere(core: Core, body: Body): Promise<void> {
  const token = body.refresh_token_data?.refresh_token ?? body.authorize_code_data?.code;
  if (token !== undefined) await core.moves.refuseMoved("token", hashToken(token).toString("hex"));
  const account = body.token_exchange_data?.requested_subject;
  if (account !== undefined) await refuseForeignAccount(core, Number(account));
}

/** The schema ensures that exactly one object is present. */
async function grantOf(
  core: Core,
  { partner, operationId }: { readonly partner: Partner; readonly operationId: string | null },
  from: Body,
): Promise<TokenPair> {
  const { client_credentials_data: credentials, token_exchange_data: exchange } = from;
  const { refresh_token_data: refresh, authorize_code_data: code } = from;
  if (credentials !== undefined)
    return issueMachineToken(core, partner, scopeOf("client_credentials_data.scope", credentials.scope));
  if (exchange !== undefined)
    return exchangeToken(core, partner, {
      machineToken: exchange.subject_token,
      accountId: Number(exchange.requested_subject),
      scope: scopeOf("token_exchange_data.scope", exchange.scope),
    });
  if (refresh !== undefined)
    return refreshTokens(core, partner, {
      refreshToken: refresh.refresh_token,
      clientId: refresh.client_id,
      operationId,
    });
  if (code !== undefined)
    return redeemCode(core, partner, {
      code: code.code,
      redirectUri: code.redirect_uri,
      clientId: code.client_id,
      verifier: code.code_verifier,
      operationId,
    });
  throw faultyFields([{ field: DATA_OF[from.grant_type], message: "is required" }]);
}

function scopeOf(field: string, text: string) {
  const parsed = parseScope(text);
  if (parsed === null) throw faultyFields([{ field, message: "must name transport, crm, or both" }]);
  return parsed;
}
