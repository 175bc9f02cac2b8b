import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { dealOf, dealSchema } from "../../../core/crm/deal.ts";
import { getDeal, listDeals, removeDeals, saveDeals } from "../../../core/crm/deals.ts";
import { entities, idOrNumber } from "../../../core/crm/entity.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { entityFaults } from "../../crm/entity-faults.ts";
import { offsetOf, pageQuery } from "../../crm/entity-path.ts";
import { errorAnswers, nothing } from "../../schema/shapes.ts";
import { entityRoutes } from "./entity-routes.ts";

const answer = Type.Object(
  {
    id: Type.String(),
    responsibleUserId: Type.String(),
    name: Type.String(),
    uri: Type.Optional(Type.String()),
    contacts: Type.Array(Type.String()),
    closed: Type.Boolean(),
  },
  { title: "Deal" },
);

/** `/v3/deals` and what is below it. */
export function dealRoutes(app: App, core: Core): void {
  listRoute(app, core);
  saveRoute(app, core);
  entityRoutes(app, core, {
    path: "/v3/deals",
    one: "Deal",
    many: "Deals",
    id: idOrNumber(100),
    answer,
    missing: "DEAL_NOT_FOUND",
    faulty: "INVALID_DEALS_DATA",
    find: getDeal,
    remove: removeDeals,
  });
}

function listRoute(app: App, core: Core): void {
  app.get(
    "/v3/deals",
    {
      schema: {
        operationId: "listDeals",
        tags: ["crm"],
        summary: "List deals in pages of 100, by id",
        querystring: pageQuery,
        response: { 200: Type.Object({ count: Type.Integer(), data: Type.Array(answer) }), ...errorAnswers },
      },
    },
    async (request) => {
      const { count, data } = await listDeals(core, scopeOf(request), offsetOf(request.query));
      return { count, data: data.map((deal) => ({ ...deal, contacts: [...deal.contacts] })) };
    },
  );
}

function saveRoute(app: App, core: Core): void {
  app.post(
    "/v3/deals",
    {
      schema: {
        operationId: "saveDeals",
        tags: ["crm"],
        summary: "Add or replace deals: all, or none if one is invalid",
        body: entities(dealSchema),
        response: { 200: nothing, ...errorAnswers },
      },
      config: { errors: ["INVALID_DEALS_DATA", "TOO_MANY_ENTITIES", "QUOTA_EXCEEDED"], body: "entities" },
      schemaErrorFormatter: entityFaults("INVALID_DEALS_DATA"),
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        await saveDeals(core, scopeOf(request), request.body.map(dealOf));
        return {};
      }),
  );
}
