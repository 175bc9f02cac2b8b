import { Type } from "typebox";
import { ATTENTION_KINDS, type Attention, listAttention } from "../../../core/console/attention.ts";
import { dayNumbers } from "../../../core/console/numbers.ts";
import type { Core } from "../../../core/core.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { accountsOf } from "./admission.ts";
import { accountQuery, time, timeOrNull } from "./shapes.ts";

const hour = Type.Object({
  at: Type.String({ description: "Beginning of the hour" }),
  accepted: Type.Integer({ description: "Messages to be sent that were accepted" }),
  sent: Type.Integer({ description: "How many of these were sent by now" }),
  failed: Type.Integer({ description: "How many of these failed" }),
  inbound: Type.Integer({ description: "Messages of clients" }),
  lag: Type.Number({ description: "Seconds between an event and its delivery, at most" }),
});
const attention = Type.Object({
  kind: Type.Unsafe<Attention["kind"]>({ type: "string", enum: [...ATTENTION_KINDS] }),
  level: Type.Unsafe<Attention["level"]>({ type: "string", enum: ["bad", "wait"] }),
  accountId: Type.Unsafe<number | null>({ type: ["integer", "null"] }),
  subject: Type.String({ description: "Id of the channel, receiver or export" }),
  name: Type.String(),
  transport: nullableString,
  reason: nullableString,
  count: Type.Integer({ description: "How many messages, failures, events or reports" }),
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
        summary: "The last 24 hours, and what needs somebody, worst first",
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
