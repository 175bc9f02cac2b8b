import type { RouteOptions } from "fastify";
import type { Core } from "../../src/core/core.ts";
import type { App } from "../../src/http/app.ts";
import type { OpenApiDocument } from "../../src/http/openapi/document.ts";
import { createHttpServer } from "../../src/http/server.ts";
import * as metrics from "../../src/platform/metrics.ts";
import { quietLog } from "./database.ts";

function createInterface(): App {
  return createHttpServer({
    core: { transports: new Map() } as unknown as Core,
    readiness: () => ({ ready: true, checks: {} }),
    trustedProxies: [],
    log: quietLog,
    metrics,
  });
}

/** Every route with its schemas, those outside the described interface included. */
export async function allRoutes(): Promise<RouteOptions[]> {
  const http = createInterface();
  const routes: RouteOptions[] = [];
  http.addHook("onRoute", (route) => void routes.push(route as RouteOptions));
  await http.ready();
  await http.close();
  return routes;
}

/** The interface's description as the server returns it. Registering routes uses only the transports of core. */
export async function describeInterface(
  path: "/openapi.json" | "/app/openapi.json" = "/openapi.json",
): Promise<OpenApiDocument> {
  const http = createInterface();
  try {
    return (await http.inject(path)).json<OpenApiDocument>();
  } finally {
    await http.close();
  }
}
