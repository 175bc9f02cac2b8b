import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { userAnswerSchema, userSchema } from "../../../core/crm/user.ts";
import { changeUsers, getUser, listUsers, removeUsers, saveUsers } from "../../../core/crm/users.ts";
import type { App } from "../../app.ts";
import { strictObject } from "../../schema/shapes.ts";
import { entityRoutes } from "./entity-routes.ts";

const { id, name, phone } = userSchema.properties;

/** `/v2/users` and what is below it. */
export function userRoutes(app: App, core: Core): void {
  entityRoutes(app, core, {
    name: "users",
    one: "User",
    many: "Users",
    id,
    item: strictObject({ id, name, phone }, { title: "NewUser" }),
    change: strictObject({ id, name: Type.Optional(name), phone }, { title: "UserChange" }),
    answer: userAnswerSchema,
    missing: "USER_NOT_FOUND",
    faulty: "INVALID_USERS_DATA",
    refusals: ["QUOTA_EXCEEDED"],
    list: async (core, scope, offset) => (await listUsers(core.db, scope)).slice(offset),
    find: getUser,
    save: saveUsers,
    update: changeUsers,
    remove: removeUsers,
  });
}
