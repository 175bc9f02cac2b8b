import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { AppError } from "../../../core/errors.ts";
import { inviteOperator, resetOperator } from "../../../core/operator/links.ts";
import { listOperators, removeOperator } from "../../../core/operator/operators.ts";
import { refuseWithoutPasswords } from "../../../core/operator/sign-in.ts";
import { isUuid } from "../../../platform/ids.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { OPERATORS_ONLY } from "./admission.ts";
import { nullableAccount, operatorFields, operatorShape, role } from "./session.ts";

const tags = ["console"];
const link = Type.Object({ link: Type.String({ description: "Valid once, within a day" }) });

/** Management of logins: only for operators of the whole installation. */
export function operatorRoutes(app: App, core: Core): void {
  app.get(
    "/app/api/console/operators",
    {
      schema: {
        operationId: "listOperators",
        tags,
        summary: "List the logins of the console",
        response: {
          200: Type.Array(
            Type.Object({
              ...operatorShape.properties,
              createdAt: Type.String(),
              signedInAt: nullableString,
            }),
          ),
          ...errorAnswers,
        },
      },
      config: OPERATORS_ONLY,
    },
    async () =>
      (await listOperators(core.db)).map((each) => ({
        ...operatorFields(each),
        createdAt: each.createdAt.toISOString(),
        signedInAt: each.signedInAt?.toISOString() ?? null,
      })),
  );
  app.post(
    "/app/api/console/operators",
    {
      schema: {
        operationId: "inviteOperator",
        tags,
        summary: "Create a one-time link for another person",
        body: Type.Object({ role, accountId: Type.Optional(nullableAccount) }),
        response: { 200: link, ...errorAnswers },
      },
      config: { ...OPERATORS_ONLY, errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async ({ body }) => {
      refuseWithoutPasswords(core);
      return { link: await inviteOperator(core, { role: body.role, accountId: body.accountId ?? null }) };
    },
  );
  changeRoutes(app, core);
}

function changeRoutes(app: App, core: Core): void {
  const params = Type.Object({ id: Type.String() });
  app.post(
    "/app/api/console/operators/:id/links",
    {
      schema: {
        operationId: "resetOperator",
        tags,
        summary: "Create a one-time link for a user who lost the password or the authenticator app",
        params,
        response: { 200: link, ...errorAnswers },
      },
      config: { ...OPERATORS_ONLY, errors: ["NOT_FOUND"] },
    },
    async ({ params: { id } }) => {
      refuseWithoutPasswords(core);
      const found = (await listOperators(core.db)).find((each) => each.id === id);
      const made = found === undefined ? null : await resetOperator(core, found.login);
      if (made === null) throw new AppError("NOT_FOUND");
      return { link: made };
    },
  );
  app.delete(
    "/app/api/console/operators/:id",
    {
      schema: {
        operationId: "removeOperator",
        tags,
        summary: "Remove a login; its sessions end",
        params,
        response: { 200: Type.Object({}), ...errorAnswers },
      },
      config: { ...OPERATORS_ONLY, errors: ["NOT_FOUND"] },
    },
    async ({ params: { id } }) => {
      if (!isUuid(id) || !(await removeOperator(core.db, id))) throw new AppError("NOT_FOUND");
      return {};
    },
  );
}
