import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { dealChangeOf, dealOf, dealSchema } from "../../../core/crm/deal.ts";
import { changeDeals, getDeal, listDeals, removeDeals, saveDeals } from "../../../core/crm/deals.ts";
import { withCamelKeys } from "../../../platform/foreign/snake-case.ts";
import type { App } from "../../app.ts";
import { strictObject } from "../../schema/shapes.ts";
import { entityRoutes } from "./entity-routes.ts";

const { id, responsibleUserId, name, uri, contacts, closed } = dealSchema.properties;
const item = strictObject(
  { id, responsible_user_id: responsibleUserId, name, uri, contacts, closed },
  { title: "NewDeal" },
);
const change = strictObject(
  {
    id,
    responsible_user_id: Type.Optional(responsibleUserId),
    name: Type.Optional(name),
    uri,
    contacts: Type.Optional(contacts),
    closed,
  },
  { title: "DealChange" },
);
const answer = Type.Object(
  {
    id: Type.String(),
    responsible_user_id: Type.String(),
    name: Type.String(),
    uri: Type.Optional(Type.String()),
    contacts: Type.Array(Type.String()),
    closed: Type.Boolean(),
  },
  { title: "Deal" },
);

/** `/v2/deals` and what is below it. */
export function dealRoutes(app: App, core: Core): void {
  entityRoutes(app, core, {
    name: "deals",
    one: "Deal",
    many: "Deals",
    id,
    item,
    change,
    answer,
    missing: "DEAL_NOT_FOUND",
    faulty: "INVALID_DEALS_DATA",
    refusals: ["QUOTA_EXCEEDED"],
    list: async (core, scope, offset) => (await listDeals(core, scope, offset)).data,
    find: getDeal,
    save: (core, scope, deals) => saveDeals(core, scope, withCamelKeys(deals).map(dealOf)),
    update: (core, scope, changes) => changeDeals(core, scope, withCamelKeys(changes).map(dealChangeOf)),
    remove: removeDeals,
  });
}
