import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { countUnanswered } from "../../../core/crm/unanswered.ts";
import { type App, scopeOf } from "../../app.ts";
import { entityId } from "../../crm/entity-path.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";

const params = Type.Object({ userId: Type.String({ description: "Id of the employee in the CRM" }) });
const answer = Type.Object({
  counterV2: Type.Integer(),
  type: nullableString,
  lastMsgDateTime: nullableString,
});

/** `GET /v3/unanswered/{userId}` */
export function unansweredRoute(app: App, core: Core): void {
  app.get(
    "/v3/unanswered/:userId",
    {
      schema: {
        operationId: "countUnanswered",
        tags: ["crm"],
        summary: "Count an employee's unanswered messages of the last 7 days",
        params,
        response: { 200: answer, ...errorAnswers },
      },
      config: { errors: ["USER_NOT_FOUND"] },
    },
    async (request) => {
      const userId = entityId(request.params.userId, "USER_NOT_FOUND");
      const { counter, type, lastMessageAt } = await countUnanswered(core, scopeOf(request), userId);
      return { counterV2: counter, type, lastMsgDateTime: lastMessageAt?.toISOString() ?? null };
    },
  );
}
