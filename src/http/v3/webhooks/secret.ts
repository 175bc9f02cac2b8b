import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { getReceiver } from "../../../core/delivery/receiver/receivers.ts";
import { getSecret, rotateSecret, type WebhookSecret } from "../../../core/delivery/receiver/secret.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { receiverQuery } from "./query.ts";

const DAY_SECONDS = 86_400;
const answer = Type.Object(
  { secret: Type.String(), previousUntil: nullableString },
  { title: "WebhookSecret" },
);
const response = { 200: answer, ...errorAnswers };
const config = { errors: ["WEBHOOK_RECEIVER_NOT_FOUND"] as const };
const tags = ["webhooks"];

/** `GET /v3/webhooks/secret` and `POST /v3/webhooks/secret` */
export function secretRoutes(app: App, core: Core): void {
  getRoute(app, core);
  rotateRoute(app, core);
}

function getRoute(app: App, core: Core): void {
  const summary = "Get the secret that signs webhooks";
  const schema = { operationId: "getWebhookSecret", tags, summary, querystring: receiverQuery, response };
  app.get("/v3/webhooks/secret", { schema, config: { ...config, secretAnswer: true } }, async (request) => {
    const scope = scopeOf(request);
    const { id } = await getReceiver(core.db, scope, request.query.receiverId ?? null);
    return shown(await getSecret(core, scope, id));
  });
}

function rotateRoute(app: App, core: Core): void {
  const body = Type.Object({
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30 * DAY_SECONDS,
        description: "How long requests are also signed with the old secret; default a day",
      }),
    ),
  });
  const summary = "Create a new secret; for a time requests are signed with both";
  const schema = {
    operationId: "rotateWebhookSecret",
    tags,
    summary,
    querystring: receiverQuery,
    body,
    response,
  };
  app.post("/v3/webhooks/secret", { schema, config: { ...config, secretAnswer: true } }, (request, reply) =>
    answerOnce(core, request, reply, async () => {
      const scope = scopeOf(request);
      const { id: receiverId } = await getReceiver(core.db, scope, request.query.receiverId ?? null);
      const { overlapSeconds = DAY_SECONDS } = request.body;
      return shown(await rotateSecret(core, scope, { receiverId, overlapSeconds }));
    }),
  );
}

function shown({ secret, previousUntil }: WebhookSecret): Static<typeof answer> {
  return { secret, previousUntil: previousUntil?.toISOString() ?? null };
}
