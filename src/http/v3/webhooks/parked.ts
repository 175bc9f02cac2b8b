import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { listParked } from "../../../core/webhook/cursor/parked.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { pageQuery, pageRequest, receiverQuery } from "./query.ts";

const parked = Type.Object({
  eventId: Type.Integer(),
  receiverId: Type.String(),
  kind: Type.String(),
  channelId: nullableString,
  subject: Type.String({ description: "Id of its object: a message, a channel ..." }),
  happenedAt: Type.String(),
  parkedAt: Type.String(),
  reason: Type.String(),
  item: Type.Unknown(),
});

/** `GET /v3/webhooks/parked` */
export function parkedRoute(app: App, core: Core): void {
  app.get(
    "/v3/webhooks/parked",
    {
      schema: {
        operationId: "listParked",
        tags: ["webhooks"],
        summary:
          "List the events that a receiver rejected until the end of their retry schedule, newest first",
        querystring: Type.Object({ ...receiverQuery.properties, ...pageQuery.properties }),
        response: { 200: Type.Object({ data: Type.Array(parked), next: nullableString }), ...errorAnswers },
      },
    },
    async (request) => {
      const { receiverId } = request.query;
      const which = receiverId === undefined ? {} : { receiverId };
      const page = await listParked(core.db, scopeOf(request), { ...which, ...pageRequest(request.query) });
      const data = page.data.map((each) => ({
        ...each,
        happenedAt: each.happenedAt.toISOString(),
        parkedAt: each.parkedAt.toISOString(),
      }));
      return { data, next: page.next };
    },
  );
}
