import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { clearUnanswered, countUnanswered } from "../../../core/crm/unanswered.ts";
import { type App, scopeOf } from "../../app.ts";
import { entityId } from "../../crm/entity-path.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { envelope, enveloped } from "../envelope.ts";

const params = Type.Object({ user_id: Type.String({ description: "Id of the employee in the CRM" }) });

/** `GET /v2/counters/unanswered/{user_id}` */
export function unansweredCounterRoute(app: App, core: Core): void {
  app.get(
    "/v2/counters/unanswered/:user_id",
    {
      schema: {
        operationId: "getUnansweredCounter",
        tags: ["crm"],
        summary: "Count an employee's unanswered messages of the last 7 days",
        params,
        response: {
          200: envelope(Type.Object({ counter: Type.Integer(), type: nullableString })),
          ...errorAnswers,
        },
      },
      config: { errors: ["USER_NOT_FOUND"] },
    },
    async (request) => {
      const userId = entityId(request.params.user_id, "USER_NOT_FOUND");
      const { counter, type } = await countUnanswered(core, scopeOf(request), userId);
      return enveloped(core, { counter, type });
    },
  );
}

/** `DELETE /v2/chats/unanswered` */
export function clearUnansweredRoute(app: App, core: Core): void {
  app.delete(
    "/v2/chats/unanswered",
    {
      schema: {
        operationId: "clearUnanswered",
        tags: ["crm"],
        summary: "Mark all messages of the account as answered",
        response: {
          200: envelope(Type.Object({ account_id: Type.String(), cleared: Type.Boolean() })),
          ...errorAnswers,
        },
      },
    },
    async (request) => {
      const scope = scopeOf(request);
      await clearUnanswered(core, scope);
      return enveloped(core, { account_id: String(scope.accountId), cleared: true });
    },
  );
}
