import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { checkContacts, contactAnswerSchema, contactSchema } from "../../../core/crm/contact.ts";
import { getContact, listContacts, removeContacts, saveContacts } from "../../../core/crm/contacts.ts";
import { entities, idOrNumber } from "../../../core/crm/entity.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { entityFaults } from "../../crm/entity-faults.ts";
import { offsetOf, pageQuery } from "../../crm/entity-path.ts";
import { errorAnswers, nothing } from "../../schema/shapes.ts";
import { entityRoutes } from "./entity-routes.ts";

/** `/v3/contacts` and what is below it. */
export function contactRoutes(app: App, core: Core): void {
  listRoute(app, core);
  saveRoute(app, core);
  entityRoutes(app, core, {
    path: "/v3/contacts",
    one: "Contact",
    many: "Contacts",
    id: idOrNumber(100),
    answer: contactAnswerSchema,
    missing: "CONTACT_NOT_FOUND",
    faulty: "INVALID_CONTACTS_DATA",
    find: getContact,
    remove: removeContacts,
  });
}

function listRoute(app: App, core: Core): void {
  app.get(
    "/v3/contacts",
    {
      schema: {
        operationId: "listContacts",
        tags: ["crm"],
        summary: "List contacts in pages of 100, by id",
        querystring: pageQuery,
        response: {
          200: Type.Object({ count: Type.Integer(), data: Type.Array(contactAnswerSchema) }),
          ...errorAnswers,
        },
      },
    },
    async (request) => {
      const { count, data } = await listContacts(core, scopeOf(request), offsetOf(request.query));
      return { count, data: [...data] };
    },
  );
}

function saveRoute(app: App, core: Core): void {
  app.post(
    "/v3/contacts",
    {
      schema: {
        operationId: "saveContacts",
        tags: ["crm"],
        summary: "Add or replace contacts: all, or none if one is invalid",
        body: entities(contactSchema),
        response: { 200: nothing, ...errorAnswers },
      },
      config: { errors: ["INVALID_CONTACTS_DATA", "TOO_MANY_ENTITIES", "QUOTA_EXCEEDED"], body: "entities" },
      schemaErrorFormatter: entityFaults("INVALID_CONTACTS_DATA"),
    },
    async (request, reply) => {
      checkContacts(request.body);
      return answerOnce(core, request, reply, async () => {
        await saveContacts(core, scopeOf(request), request.body);
        return {};
      });
    },
  );
}
