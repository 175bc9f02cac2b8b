import { Type } from "typebox";
import type { App } from "../app.ts";
import type { HttpMetrics } from "../metrics.ts";

/** Whether this node can serve, with each dependency: true, or the problem. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, boolean | string>>;
}

const health = Type.Object({ status: Type.Literal("ok") });
const readinessShape = Type.Object(
  {
    ready: Type.Boolean(),
    checks: Type.Unsafe<Readiness["checks"]>({ type: "object", additionalProperties: {} }),
  },
  { title: "Readiness" },
);

/** The routes for orchestrators and monitoring, without authentication, as these expect. */
export function opsRoutes(app: App, readiness: () => Readiness, registry: HttpMetrics["registry"]): void {
  app.get(
    "/healthz",
    {
      schema: {
        operationId: "getHealth",
        tags: ["operations"],
        summary: "Liveness of the process",
        response: { 200: health },
      },
    },
    async () => ({ status: "ok" as const }),
  );
  app.get(
    "/readyz",
    {
      schema: {
        operationId: "getReadiness",
        tags: ["operations"],
        summary: "Readiness of the node",
        response: { 200: readinessShape, 503: readinessShape },
      },
    },
    async (_request, reply) => {
      const state = readiness();
      return reply.code(state.ready ? 200 : 503).send(state);
    },
  );
  if (registry === null) return;
  app.get("/metrics", { schema: { hide: true } as object }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}
