import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { discardParked, listParked } from "../../../core/delivery/cursor/parked.ts";
import { getReceiver } from "../../../core/delivery/receiver/receivers.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, nullableString, nullableUuid } from "../../schema/shapes.ts";
import { ids, pageQuery, pageRequest, receiverQuery, refuseUnsafe } from "./query.ts";

const parked = Type.Object(
  {
    eventId: Type.Integer(),
    receiverId: Type.String(),
    kind: Type.String(),
    channelId: nullableUuid,
    subject: Type.String({ description: "Id of its object: a message, a channel ..." }),
    happenedAt: Type.String(),
    parkedAt: Type.String(),
    reason: Type.String(),
    item: Type.Unknown(),
  },
  { title: "ParkedEvent" },
);

const discarded = Type.Object({
  discarded: Type.Integer({ description: "Number of events that are no longer parked" }),
});
const tags = ["webhooks"];

/** `GET /v3/webhooks/parked` and `POST /v3/webhooks/discard` */
export function parkedRoutes(app: App, core: Core): void {
  listRoute(app, core);
  discardRoute(app, core);
}

function listRoute(app: App, core: Core): void {
  app.get(
    "/v3/webhooks/parked",
    {
      schema: {
        operationId: "listParked",
        tags,
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

function discardRoute(app: App, core: Core): void {
  app.post(
    "/v3/webhooks/discard",
    {
      schema: {
        operationId: "discardParked",
        tags,
        summary: "Discard parked events; a replay that was requested before may still send them",
        querystring: receiverQuery,
        body: Type.Object({ eventIds: ids }),
        response: { 200: discarded, ...errorAnswers },
      },
      config: { errors: ["WEBHOOK_RECEIVER_NOT_FOUND"] },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const { eventIds } = request.body;
        refuseUnsafe({ eventIds });
        const scope = scopeOf(request);
        const { id: receiverId } = await getReceiver(core.db, scope, request.query.receiverId ?? null);
        return { discarded: await discardParked(core.db, scope, { receiverId, eventIds }) };
      }),
  );
}
