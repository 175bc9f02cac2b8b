import { Type } from "typebox";
import { createClientAccount, getClientAccount } from "../../../core/account/accounts.ts";
import type { Channel } from "../../../core/channel/channel.ts";
import { listChannels } from "../../../core/channel/channels.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { refuseForeignAccount } from "../../../core/move/foreign-account.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, partnerOf } from "../../app.ts";
import { errorAnswers, nullableString, patterned, strictObject, uuidText } from "../../schema/shapes.ts";
import { channelFields, channelShape } from "../channels/channel-shape.ts";
import { envelope, enveloped } from "../envelope.ts";

const ACCOUNT_ID = /^([0-9]{8}|[12][0-9]{9})$/;
const tags = ["accounts"];

const body = strictObject({
  name: patterned("printable", { minLength: 3, maxLength: 255 }),
  lang: patterned("language"),
  currency: patterned("currency"),
  country: patterned("country"),
  timezone: Type.Number({ minimum: -12, maximum: 14, description: "Offset from UTC in hours" }),
});

const created = Type.Object({ account_id: Type.Integer(), name: Type.String() });
const shown = Type.Object(
  {
    ...created.properties,
    lang: nullableString,
    currency: nullableString,
    country: nullableString,
    timezone: Type.Unsafe<number | null>({ type: ["number", "null"] }),
    billing: Type.Optional(
      Type.Unsafe<null>({ type: "null", description: "The last payer; the service bills no one" }),
    ),
    channels: Type.Optional(Type.Array(channelShape, { description: "Its channels" })),
    subscriptions: Type.Optional(
      Type.Array(
        Type.Object({
          channel_id: uuidText(),
          tariff: nullableString,
          paid: Type.Boolean({ description: "Whether the operator allows it to work" }),
        }),
        { description: "The plan of each channel" },
      ),
    ),
  },
  { title: "Account" },
);

const EXPANSIONS =
  "`billing`, `channels`, `subscriptions`, separated by commas or repeated; others are ignored";
const query = Type.Object({
  expand: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], {
      description: `Objects to include: ${EXPANSIONS}`,
    }),
  ),
});

/** `POST /v2/accounts` and `GET /v2/accounts/{id}`: the accounts of a partner's clients. */
export function accountRoutes(app: App, core: Core): void {
  createRoute(app, core);
  getRoute(app, core);
}

function createRoute(app: App, core: Core): void {
  const summary = "Create an account for a client; obtain its tokens by token exchange";
  const response = { 200: envelope(Type.Object({ account: created })), ...errorAnswers };
  app.post(
    "/v2/accounts",
    {
      schema: { operationId: "createAccount", tags, summary, body, response },
      config: { errors: ["QUOTA_EXCEEDED"] },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async (operationId) => {
        const id = await createClientAccount(core, partnerOf(request).id, request.body, operationId);
        return enveloped(core, { account: { account_id: id, name: request.body.name } });
      }),
  );
}

function getRoute(app: App, core: Core): void {
  const summary = "Get one of the partner's accounts";
  const params = Type.Object({ id: Type.String({ description: "Eight digits" }) });
  const response = { 200: envelope(Type.Object({ account: shown })), ...errorAnswers };
  app.get(
    "/v2/accounts/:id",
    {
      schema: { operationId: "getAccount", tags, summary, params, querystring: query, response },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request) => {
      if (!ACCOUNT_ID.test(request.params.id)) throw new AppError("ACCOUNT_NOT_FOUND");
      await refuseForeignAccount(core, Number(request.params.id));
      const account = await getClientAccount(core.db, partnerOf(request).id, Number(request.params.id));
      const { id, ...facts } = account;
      const more = await expanded(core, id, namesIn(request.query.expand));
      return enveloped(core, { account: { account_id: id, ...facts, ...more } });
    },
  );
}

function namesIn(expand: string | string[] = []): ReadonlySet<string> {
  return new Set([expand].flat().flatMap((names) => names.split(/[\s,]+/)));
}

/** The expansions requested for the account. */
async function expanded(core: Core, accountId: number, names: ReadonlySet<string>) {
  const needsChannels = names.has("channels") || names.has("subscriptions");
  const channels = needsChannels ? await listChannels(core, { accountId }) : [];
  return {
    ...(names.has("billing") ? { billing: null } : {}),
    ...(names.has("channels") ? { channels: channels.map(channelFields) } : {}),
    ...(names.has("subscriptions") ? { subscriptions: channels.map(subscriptionFields) } : {}),
  };
}

function subscriptionFields({ id, tariff, unpaid }: Channel) {
  return { channel_id: id, tariff, paid: !unpaid };
}
