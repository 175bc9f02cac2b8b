import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { listNotices } from "../../../core/delivery/receiver/notices.ts";
import {
  changeReceiver,
  getReceiver,
  listReceivers,
  pauseByHand,
  type Receiver,
  resumeByHand,
} from "../../../core/delivery/receiver/receivers.ts";
import { notifyReceivers } from "../../../core/event/publish.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { receiverQuery } from "./query.ts";

const NOTICES = 20;
const receiver = Type.Object(
  {
    receiverId: Type.String(),
    version: Type.String(),
    url: Type.String(),
    kinds: Type.Array(Type.String()),
    state: Type.String({ description: "active, failing or paused" }),
    pausedAt: nullableString,
    pauseReason: nullableString,
    failingSince: nullableString,
    failures: Type.Integer(),
    lastSuccessAt: nullableString,
    queued: Type.Integer(),
    parked: Type.Integer(),
    maxItems: Type.Integer({ description: "0: the installation's setting" }),
    concurrency: Type.Integer(),
  },
  { title: "Receiver" },
);
const notice = Type.Object(
  { at: Type.String(), kind: Type.String(), text: Type.String() },
  { title: "ReceiverNotice" },
);
const detailed = Type.Object(
  { ...receiver.properties, notices: Type.Array(notice) },
  { title: "ReceiverDetails" },
);
const errors = { errors: ["WEBHOOK_RECEIVER_NOT_FOUND"] as const };
const tags = ["webhooks"];
const params = Type.Object({ receiverId: Type.String() });

/** `/v3/webhooks/receivers`, `/v3/webhooks/pause` and `/v3/webhooks/resume` */
export function receiverRoutes(app: App, core: Core): void {
  listRoute(app, core);
  getRoute(app, core);
  changeRoute(app, core);
  pauseRoute(app, core);
  resumeRoute(app, core);
}

function listRoute(app: App, core: Core): void {
  const summary = "List the receivers of webhooks and their health";
  const response = { 200: Type.Array(receiver), ...errorAnswers };
  app.get(
    "/v3/webhooks/receivers",
    { schema: { operationId: "listReceivers", tags, summary, response } },
    async (request) => (await listReceivers(core.db, scopeOf(request))).map(shown),
  );
}

function getRoute(app: App, core: Core): void {
  const summary = "Get a receiver with its latest notices";
  app.get(
    "/v3/webhooks/receivers/:receiverId",
    {
      schema: {
        operationId: "getReceiver",
        tags,
        summary,
        params,
        response: { 200: detailed, ...errorAnswers },
      },
      config: errors,
    },
    async (request) => {
      const scope = scopeOf(request);
      const id = idFromPath(request.params.receiverId, "WEBHOOK_RECEIVER_NOT_FOUND");
      const found = await getReceiver(core.db, scope, id);
      const notices = await listNotices(core.db, scope, { endpointId: id, limit: NOTICES });
      return { ...shown(found), notices: notices.map((each) => ({ ...each, at: each.at.toISOString() })) };
    },
  );
}

function changeRoute(app: App, core: Core): void {
  const body = Type.Object({
    maxItems: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
    concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 16 })),
  });
  app.patch(
    "/v3/webhooks/receivers/:receiverId",
    {
      schema: {
        operationId: "changeReceiver",
        tags,
        summary: "Set the maximum events per request, and the number of concurrent requests",
        params,
        body,
        response: { 200: receiver, ...errorAnswers },
      },
      config: errors,
    },
    async (request) => {
      const id = idFromPath(request.params.receiverId, "WEBHOOK_RECEIVER_NOT_FOUND");
      const { maxItems, concurrency } = request.body;
      const change = {
        ...(maxItems === undefined ? {} : { maxItems: maxItems === 0 ? null : maxItems }),
        ...(concurrency === undefined ? {} : { concurrency }),
      };
      return shown(await changeReceiver(core.db, scopeOf(request), { id, change }));
    },
  );
}

function pauseRoute(app: App, core: Core): void {
  const summary = "Pause a receiver; its events are kept";
  app.post(
    "/v3/webhooks/pause",
    {
      schema: {
        operationId: "pauseReceiver",
        tags,
        summary,
        querystring: receiverQuery,
        response: { 200: receiver, ...errorAnswers },
      },
      config: errors,
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () =>
        shown(await pauseByHand(core.db, scopeOf(request), request.query.receiverId ?? null)),
      ),
  );
}

function resumeRoute(app: App, core: Core): void {
  const summary = "Resume a paused receiver; kept events are delivered first";
  app.post(
    "/v3/webhooks/resume",
    {
      schema: {
        operationId: "resumeReceiver",
        tags,
        summary,
        querystring: receiverQuery,
        response: { 200: receiver, ...errorAnswers },
      },
      config: errors,
    },
    (request, reply) =>
      answerOnce(core, request, reply, async () => {
        const resumed = await resumeByHand(core.db, scopeOf(request), request.query.receiverId ?? null);
        notifyReceivers(core, [resumed.accountId]);
        return shown(resumed);
      }),
  );
}

function shown({ id, accountId: _, ...rest }: Receiver): Static<typeof receiver> {
  return {
    ...rest,
    receiverId: id,
    kinds: [...rest.kinds],
    pausedAt: rest.pausedAt?.toISOString() ?? null,
    failingSince: rest.failingSince?.toISOString() ?? null,
    lastSuccessAt: rest.lastSuccessAt?.toISOString() ?? null,
    maxItems: rest.maxItems ?? 0,
  };
}
