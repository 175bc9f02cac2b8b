import { Type } from "typebox";
import {
  findPartnerById,
  listPartners,
  newPassword,
  type Partner,
  PartnerFault,
  setPartnerPassword,
} from "../../../core/account/partners.ts";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { ClientFault, listClients, registerClient } from "../../../core/oauth/clients.ts";
import { createPartnerWithClient } from "../../../core/oauth/new-partner.ts";
import type { App } from "../../app.ts";
import { faultyFields } from "../../schema/fields.ts";
import { errorAnswers } from "../../schema/shapes.ts";
import { OPERATORS_ONLY } from "./admission.ts";
import { time } from "./shapes.ts";

const tags = ["console"];
const PATH = "/app/api/console/partners";
const client = Type.Object({
  id: Type.String({ description: "client_id" }),
  name: Type.String(),
  redirectUris: Type.Array(Type.String(), {
    description: "Empty: the client only refreshes tokens of a token exchange",
  }),
});
const partner = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  name: Type.String(),
  createdAt: Type.String(),
  accounts: Type.Integer({ description: "Number of accounts that the partner has created" }),
  clients: Type.Array(client),
});
const password = Type.String({ description: "Returned only once" });
const PARTNER_ID = /^\d{9}$/;
const partnerPath = Type.Object({ partner: Type.String({ description: "Id of the partner" }) });
const name = Type.String({ minLength: 1, maxLength: 200 });

/** Partners and their OAuth clients: only for operators of the whole installation. */
export function partnerRoutes(app: App, core: Core): void {
  app.get(
    PATH,
    {
      schema: {
        operationId: "listPartners",
        tags,
        summary: "List the partners with their OAuth clients",
        response: { 200: Type.Array(partner), ...errorAnswers },
      },
      config: OPERATORS_ONLY,
    },
    async () => {
      const clients = Map.groupBy(await listClients(core.db), ({ partnerId }) => partnerId);
      return (await listPartners(core.db)).map((each) => ({
        ...each,
        createdAt: time(each.createdAt),
        clients: (clients.get(each.id) ?? []).map(({ id, name: called, redirectUris }) => ({
          id,
          name: called,
          redirectUris: [...redirectUris],
        })),
      }));
    },
  );
  createRoute(app, core);
  passwordRoute(app, core);
  clientRoute(app, core);
}

function createRoute(app: App, core: Core): void {
  app.post(
    PATH,
    {
      schema: {
        operationId: "createPartner",
        tags,
        summary: "Create a partner with a password and a client for refreshing tokens",
        body: Type.Object({ email: Type.String({ maxLength: 300 }), name: Type.Optional(name) }),
        response: {
          200: Type.Object({ partnerId: Type.Integer(), clientId: Type.String(), password }),
          ...errorAnswers,
        },
      },
      config: OPERATORS_ONLY,
    },
    async ({ body: { email, name: called = email } }) => {
      const secret = newPassword();
      const given = { email, name: called, password: secret };
      const made = await createPartnerWithClient(core.db, given, core.directory).catch(refuse("email"));
      return { partnerId: made.partner.id, clientId: made.clientId, password: secret };
    },
  );
}

function passwordRoute(app: App, core: Core): void {
  app.post(
    `${PATH}/:partner/password`,
    {
      schema: {
        operationId: "resetPartnerPassword",
        tags,
        summary: "Set a new password; the old one is refused immediately, tokens stay valid",
        params: partnerPath,
        response: { 200: Type.Object({ password }), ...errorAnswers },
      },
      config: { ...OPERATORS_ONLY, errors: ["NOT_FOUND"] },
    },
    async ({ params }) => {
      const { email } = await partnerOf(core, params.partner);
      const secret = newPassword();
      await setPartnerPassword(core.db, { email, password: secret }, core.directory);
      return { password: secret };
    },
  );
}

function clientRoute(app: App, core: Core): void {
  app.post(
    `${PATH}/:partner/clients`,
    {
      schema: {
        operationId: "registerPartnerClient",
        tags,
        summary: "Register an OAuth client of a partner, for the authorization code with consent",
        params: partnerPath,
        body: Type.Object({
          name,
          redirectUris: Type.Array(Type.String({ maxLength: 1_000 }), { minItems: 1, maxItems: 20 }),
        }),
        response: { 200: client, ...errorAnswers },
      },
      config: { ...OPERATORS_ONLY, errors: ["NOT_FOUND"] },
    },
    async ({ params, body }) => {
      const { id: partnerId } = await partnerOf(core, params.partner);
      const made = await registerClient(core.db, { partnerId, ...body }, core.directory).catch(
        refuse("redirectUris"),
      );
      return { id: made.id, name: made.name, redirectUris: [...made.redirectUris] };
    },
  );
}

async function partnerOf({ db }: Core, id: string): Promise<Partner> {
  const found = PARTNER_ID.test(id) ? await findPartnerById(db, Number(id)) : null;
  if (found === null) throw new AppError("NOT_FOUND");
  return found;
}

/** The reason why an operator's input is refused, at its field. */
function refuse(field: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof PartnerFault || error instanceof ClientFault)
      throw faultyFields([{ field, message: error.message }]);
    throw error;
  };
}
