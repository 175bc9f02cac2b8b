import type { Core } from "../../src/core/core.ts";
import type { OpenApiDocument } from "../../src/http/openapi/document.ts";
import { createHttpServer } from "../../src/http/server.ts";
import * as metrics from "../../src/platform/metrics.ts";
import { quietLog } from "./database.ts";

/** The interface's description as the server tells it. Registering routes asks core for its transports alone. */
export async function describeInterface(
  path: "/openapi.json" | "/app/openapi.json" = "/openapi.json",
): Promise<OpenApiDocument> {
  const http = createHttpServer({
    core: { transports: new Map() } as unknown as Core,
    readiness: () => ({ ready: true, checks: {} }),
    trustedProxies: [],
    log: quietLog,
    metrics,
  });
  try {
    return (await http.inject(path)).json<OpenApiDocument>();
  } finally {
    await http.close();
  }
}
