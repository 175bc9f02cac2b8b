import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import {
  getExchange,
  type LoggedAttempt,
  listAttempts,
} from "../../../core/delivery/request/delivery-log.ts";
import { AppError } from "../../../core/errors.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, nullableString, patterned } from "../../schema/shapes.ts";
import { filterFields, filterOf, pageQuery, pageRequest } from "./query.ts";

const attempt = Type.Object(
  {
    id: Type.Integer(),
    receiverId: Type.String(),
    deliveryId: Type.String({ description: "The request's webhook-id" }),
    purpose: Type.String({ description: "delivery, replay or test" }),
    at: Type.String(),
    durationMs: Type.Integer(),
    kinds: Type.Array(Type.String()),
    channelIds: Type.Array(Type.String()),
    items: Type.Integer(),
    result: Type.String({ description: "delivered, refused or failed" }),
    status: Type.Unsafe<number | null>({ type: ["integer", "null"] }),
    failure: nullableString,
  },
  { title: "Delivery" },
);
const headers = Type.Unsafe<Readonly<Record<string, string>> | null>({
  type: ["object", "null"],
  additionalProperties: { type: "string" },
});
const exchange = Type.Object(
  {
    ...attempt.properties,
    eventIds: Type.Array(Type.Integer()),
    body: nullableString,
    sentHeaders: headers,
    receivedHeaders: headers,
    answer: nullableString,
  },
  { title: "DeliveryDetails" },
);
const tags = ["webhooks"];

/** `GET /v3/webhooks/deliveries` and `GET /v3/webhooks/deliveries/{id}` */
export function deliveryRoutes(app: App, core: Core): void {
  listRoute(app, core);
  getRoute(app, core);
}

function listRoute(app: App, core: Core): void {
  const querystring = Type.Object({
    ...filterFields,
    ...pageQuery.properties,
    eventId: Type.Optional(patterned("longNumber")),
    replayId: Type.Optional(patterned("uuid")),
  });
  app.get(
    "/v3/webhooks/deliveries",
    {
      schema: {
        operationId: "listDeliveries",
        tags,
        summary: "List the requests to receivers of the last 30 days, newest first",
        querystring,
        response: {
          200: Type.Object({ data: Type.Array(attempt), next: nullableString }),
          ...errorAnswers,
        },
      },
    },
    async (request) => {
      const { eventId = "", replayId, ...query } = request.query;
      const filter = { ...filterOf(query), ...(eventId === "" ? {} : { eventId: Number(eventId) }) };
      const page = await listAttempts(core.db, scopeOf(request), {
        filter,
        ...pageRequest(query),
        ...(replayId === undefined ? {} : { replayId }),
      });
      return { data: page.data.map(shown), next: page.next };
    },
  );
}

function getRoute(app: App, core: Core): void {
  app.get(
    "/v3/webhooks/deliveries/:id",
    {
      schema: {
        operationId: "getDelivery",
        tags,
        summary: "Get a request with its body, headers and response",
        params: Type.Object({ id: Type.String() }),
        response: { 200: exchange, ...errorAnswers },
      },
      config: { errors: ["WEBHOOK_DELIVERY_NOT_FOUND"] },
    },
    async (request) => {
      const { id } = request.params;
      if (!/^\d{1,15}$/.test(id)) throw new AppError("WEBHOOK_DELIVERY_NOT_FOUND");
      const found = await getExchange(core.db, scopeOf(request), Number(id));
      const { eventIds, body, sentHeaders, receivedHeaders, answer } = found;
      return { ...shown(found), eventIds: [...eventIds], body, sentHeaders, receivedHeaders, answer };
    },
  );
}

function shown(logged: LoggedAttempt): Static<typeof attempt> {
  return {
    ...logged,
    at: logged.at.toISOString(),
    kinds: [...logged.kinds],
    channelIds: [...logged.channelIds],
  };
}
