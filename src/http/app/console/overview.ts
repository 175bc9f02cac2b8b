import { Type } from "typebox";
import { ATTENTION_KINDS, type Attention, listAttention } from "../../../core/console/attention.ts";
import { dayNumbers } from "../../../core/console/numbers.ts";
import type { Core } from "../../../core/core.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { accountsOf } from "./admission.ts";
import { accountQuery, time, timeOrNull } from "./shapes.ts";

const hour = Type.Object({
  at: Type.String({ description: "Start of the hour" }),
  accepted: Type.Integer({ description: "Outgoing messages accepted" }),
  sent: Type.Integer({ description: "How many of them have been sent" }),
  failed: Type.Integer({ description: "How many of them failed" }),
  inbound: Type.Integer({ description: "Inbound messages" }),
  lag: Type.Number({ description: "Maximum seconds between an event and its delivery" }),
});
const attention = Type.Object({
  kind: Type.Unsafe<Attention["kind"]>({ type: "string", enum: [...ATTENTION_KINDS] }),
  level: Type.Unsafe<Attention["level"]>({ type: "string", enum: ["bad", "wait"] }),
  accountId: Type.Unsafe<number | null>({ type: ["integer", "null"] }),
  subject: Type.String({ description: "Id of the channel, receiver or export" }),
  name: Type.String(),
  transport: nullableString,
  reason: nullableString,
  count: Type.Integer({ description: "Number of messages, failures, events or reports" }),
  since: nullableString,
});

/** `GET /app/api/console/overview` */
export function overviewRoute(app: App, core: Core): void {
  app.get(
    "/app/api/console/overview",
    {
      schema: {
        operationId: "getOverview",
        tags: ["console"],
        summary: "The last 24 hours, and what needs attention, most urgent first",
        querystring: accountQuery,
        response: {
          200: Type.Object({ hours: Type.Array(hour), attention: Type.Array(attention) }),
          ...errorAnswers,
        },
      },
      config: { errors: ["ACCOUNT_NOT_FOUND"] },
    },
    async (request) => {
      const accountId = accountsOf(request, request.query.account);
      const hours = await dayNumbers(core, accountId);
      const found = await listAttention(core.db, accountId);
      return {
        hours: hours.map((each) => ({ ...each, at: time(each.at) })),
        attention: found.map((each) => ({ ...each, since: timeOrNull(each.since) })),
      };
    },
  );
}
