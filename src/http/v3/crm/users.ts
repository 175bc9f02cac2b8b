import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { entities, idOrNumber } from "../../../core/crm/entity.ts";
import { userAnswerSchema, userSchema } from "../../../core/crm/user.ts";
import { getUser, listUsers, removeUsers, saveUsers } from "../../../core/crm/users.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { entityFaults } from "../../crm/entity-faults.ts";
import { errorAnswers, nothing } from "../../schema/shapes.ts";
import { entityRoutes } from "./entity-routes.ts";

/** `/v3/users` and what is below it. */
export function userRoutes(app: App, core: Core): void {
  listUsersRoute(app, core);
  saveRoute(app, core);
  entityRoutes(app, core, {
    path: "/v3/users",
    one: "User",
    many: "Users",
    id: idOrNumber(200),
    answer: userAnswerSchema,
    missing: "USER_NOT_FOUND",
    faulty: "INVALID_USERS_DATA",
    find: getUser,
    remove: removeUsers,
  });
}

/** `GET /v3/users` */
export function listUsersRoute(app: App, core: Core): void {
  app.get(
    "/v3/users",
    {
      schema: {
        operationId: "listUsers",
        tags: ["crm"],
        summary: "List the employees, by name",
        response: {
          200: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }, { title: "UserName" })),
          ...errorAnswers,
        },
      },
    },
    (request) => listUsers(core.db, scopeOf(request)),
  );
}

function saveRoute(app: App, core: Core): void {
  app.post(
    "/v3/users",
    {
      schema: {
        operationId: "saveUsers",
        tags: ["crm"],
        summary: "Add or change employees: all, or none if one is invalid",
        body: entities(userSchema),
        response: { 200: nothing, ...errorAnswers },
      },
      config: { errors: ["INVALID_USERS_DATA", "TOO_MANY_ENTITIES", "QUOTA_EXCEEDED"], body: "entities" },
      schemaErrorFormatter: entityFaults("INVALID_USERS_DATA"),
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        await saveUsers(core, scopeOf(request), request.body);
        return {};
      }),
  );
}
