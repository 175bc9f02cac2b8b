import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { sinkState } from "../../../core/delivery/sink/sink.ts";
import type { App } from "../../app.ts";
import { errorAnswers, nullableString } from "../../schema/shapes.ts";
import { operatorOf } from "./admission.ts";
import { timeOrNull } from "./shapes.ts";

const sink = Type.Object({
  url: Type.String({ description: "Without credentials" }),
  kinds: Type.Array(Type.String()),
  accounts: Type.Integer(),
  failing: Type.Integer({ description: "Accounts whose events the broker does not accept" }),
  failingSince: nullableString,
  failure: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "Why it last accepted nothing, at `failedAt`; also if it works again",
  }),
  failedAt: nullableString,
  queued: Type.Integer({ description: "Events that wait, at most 1,000,000" }),
  queuedSince: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "The time of the oldest of them",
  }),
  parked: Type.Integer({ description: "Events that it refused" }),
});

/** The broker that gets the events of all accounts. */
export function sinkRoute(app: App, core: Core): void {
  app.get(
    "/app/api/console/sink",
    {
      schema: {
        operationId: "getSink",
        tags: ["console"],
        summary: "The sink of events and what waits for it",
        response: { 200: Type.Object({ sink: Type.Union([sink, Type.Null()]) }), ...errorAnswers },
      },
      config: { roles: ["operator", "viewer"] },
    },
    async (request) => {
      const isWhole = operatorOf(request).accountId === null;
      const state = isWhole ? await sinkState(core.db) : null;
      if (state === null) return { sink: null };
      const { kinds, failingSince, failedAt, queuedSince } = state;
      return {
        sink: {
          ...state,
          kinds: [...kinds],
          failingSince: timeOrNull(failingSince),
          failedAt: timeOrNull(failedAt),
          queuedSince: timeOrNull(queuedSince),
        },
      };
    },
  );
}
