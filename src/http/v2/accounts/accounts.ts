import { Type } from "typebox";
import { createClientAccount, getClientAccount } from "../../../core/account/accounts.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, partnerOf } from "../../app.ts";
import { errorAnswers, nullableString, patterned, strictObject } from "../../shapes.ts";
import { envelope, enveloped } from "../envelope.ts";

const ACCOUNT_ID = /^[0-9]{8}$/;
const tags = ["accounts"];

const body = strictObject({
  name: patterned("printable", { minLength: 3, maxLength: 255 }),
  lang: patterned("language"),
  currency: patterned("currency"),
  country: patterned("country"),
  timezone: Type.Number({ minimum: -12, maximum: 14, description: "Hours from UTC" }),
});

const created = Type.Object({ account_id: Type.Integer(), name: Type.String() });
const shown = Type.Object({
  ...created.properties,
  lang: nullableString,
  currency: nullableString,
  country: nullableString,
  timezone: Type.Unsafe<number | null>({ type: ["number", "null"] }),
});

/** `POST /v2/accounts` and `GET /v2/accounts/{id}`: the accounts of a partner's clients. */
export function accountRoutes(app: App, core: Core): void {
  createRoute(app, core);
  getRoute(app, core);
}

function createRoute(app: App, core: Core): void {
  const summary = "Make an account for a client; its tokens come by token exchange";
  const response = { 200: envelope(Type.Object({ account: created })), ...errorAnswers };
  app.post(
    "/v2/accounts",
    { schema: { operationId: "createAccount", tags, summary, body, response } },
    (request, reply) =>
      answerOnce(core, request, reply, async (operationId) => {
        const id = await createClientAccount(core.db, partnerOf(request).id, request.body, operationId);
        return enveloped(core, { account: { account_id: id, name: request.body.name } });
      }),
  );
}

function getRoute(app: App, core: Core): void {
  const summary = "One of the partner's accounts";
  const params = Type.Object({ id: Type.String({ description: "Eight digits" }) });
  const response = { 200: envelope(Type.Object({ account: shown })), ...errorAnswers };
  app.get(
    "/v2/accounts/:id",
    {
      schema: { operationId: "getAccount", tags, summary, params, response },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request) => {
      if (!ACCOUNT_ID.test(request.params.id)) throw new AppError("ACCOUNT_NOT_FOUND");
      const account = await getClientAccount(core.db, partnerOf(request).id, Number(request.params.id));
      const { id, ...facts } = account;
      return enveloped(core, { account: { account_id: id, ...facts } });
    },
  );
}
