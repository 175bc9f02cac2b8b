import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import {
  getReplay,
  type Replay,
  requestReplay,
  type Selection,
} from "../../../core/delivery/request/replay.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { faultyFields } from "../../schema/fields.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { filterFields, filterOf, ids, refuseUnsafe } from "./query.ts";

const body = Type.Object({
  deliveryIds: Type.Optional(ids),
  parked: Type.Optional(Type.Boolean({ description: "true: parked events instead of the log" })),
  eventIds: Type.Optional(ids),
  ...filterFields,
});
const answer = Type.Object(
  {
    replayId: Type.String(),
    requestedAt: Type.String(),
    finishedAt: nullableString,
    total: Type.Integer(),
    delivered: Type.Integer(),
    failed: Type.Integer(),
    failures: Type.Array(
      Type.Object({
        receiverId: Type.String(),
        deliveryId: Type.String(),
        status: Type.Unsafe<number | null>({ type: ["integer", "null"] }),
        failure: nullableString,
      }),
    ),
  },
  { title: "Replay" },
);
const tags = ["webhooks"];

/** `POST /v3/webhooks/replay` and `GET /v3/webhooks/replay/{id}` */
export function replayRoutes(app: App, core: Core): void {
  requestRoute(app, core);
  getRoute(app, core);
}

function requestRoute(app: App, core: Core): void {
  app.post(
    "/v3/webhooks/replay",
    {
      schema: {
        operationId: "replayDeliveries",
        tags,
        summary: "Replay deliveries: selected ones, those of a period, or parked events",
        body,
        response: { 202: answer, ...errorAnswers },
      },
      config: { errors: ["WEBHOOK_REPLAY_TOO_LARGE", "WEBHOOK_REPLAY_QUEUE_FULL"] },
    },
    (request, reply) => {
      reply.code(202);
      return answerOnce(core, request, reply, async (operationId) => {
        const selection = selectionOf(request.body);
        const scope = scopeOf(request);
        const id = await requestReplay(core.db, scope, { selection, operationId });
        core.signals.notify("replays");
        return shown(await getReplay(core.db, scope, id));
      });
    },
  );
}

/** Exactly one selection: an empty one must not mean everything, and no part of it may be ignored. */
function selectionOf({ deliveryIds, parked, eventIds, ...filter }: Static<typeof body>): Selection {
  refuseUnsafe({ deliveryIds, eventIds });
  const { receiverId, ...search } = filter;
  if (parked === true) {
    refuseBeside("parked", { deliveryIds, ...search });
    const which = receiverId === undefined ? {} : { receiverId };
    return { kind: "parked", ...which, ...(eventIds === undefined ? {} : { eventIds }) };
  }
  if (eventIds !== undefined)
    throw faultyFields([{ field: "eventIds", message: "is allowed only together with parked" }]);
  if (deliveryIds !== undefined) {
    refuseBeside("deliveryIds", search);
    return { kind: "attempts", ids: deliveryIds };
  }
  if (filter.from === undefined)
    throw faultyFields([{ field: "from", message: "is required without deliveryIds or parked" }]);
  return { kind: "log", filter: filterOf(filter) };
}

function refuseBeside(way: string, fields: object): void {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (given.length > 0)
    throw faultyFields(given.map(([field]) => ({ field, message: `is not allowed together with ${way}` })));
}

function getRoute(app: App, core: Core): void {
  const params = Type.Object({ id: Type.String() });
  const response = { 200: answer, ...errorAnswers };
  const schema = {
    operationId: "getReplay",
    tags,
    summary: "Get the progress of a replay",
    params,
    response,
  };
  app.get(
    "/v3/webhooks/replay/:id",
    { schema, config: { errors: ["WEBHOOK_REPLAY_NOT_FOUND"] } },
    async (request) => {
      const id = idFromPath(request.params.id, "WEBHOOK_REPLAY_NOT_FOUND");
      return shown(await getReplay(core.db, scopeOf(request), id));
    },
  );
}

function shown({ id, requestedAt, finishedAt, failures, ...counts }: Replay): Static<typeof answer> {
  return {
    ...counts,
    replayId: id,
    requestedAt: requestedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    failures: [...failures],
  };
}
