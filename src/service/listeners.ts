import { type Config, effectiveSettings } from "../config.ts";
import type { Core } from "../core/core.ts";
import { type MetricsServer, startMetricsServer } from "../http/metrics-server.ts";
import { VERSION } from "../http/openapi/document.ts";
import { createHttpServer } from "../http/server.ts";
import type { Log } from "../platform/log.ts";
import * as metrics from "../platform/metrics.ts";
import { transports } from "../transports/index.ts";
import type { BuiltPages } from "./pages.ts";

type HttpOptions = Parameters<typeof createHttpServer>[0];

export interface HttpListener {
  readonly port: number;
  /** Accepts no new connections, and resolves when requests have ended. Idempotent. */
  close(): Promise<void>;
}

/** Listens at HOST and PORT. The error is clear to the person who set them. */
export async function listenForRequests(
  config: Config,
  parts: {
    readonly core: Core;
    readonly log: Log;
    readonly pages: BuiltPages;
    readonly readiness: HttpOptions["readiness"];
    readonly phone?: string;
    readonly traces: HttpOptions["traces"];
  },
): Promise<HttpListener> {
  const http = createHttpServer({
    ...parts,
    metrics: {
      registry: config.metricsListen === null ? metrics.registry : null,
      httpDuration: metrics.httpDuration,
      openRequests: metrics.openRequests,
      refusedRequests: metrics.refusedRequests,
    },
    trustedProxies: config.trustedProxies,
    pageLimits: {
      ofOwner: config.streamsPerSession,
      ofGroup: config.streamsPerAccount,
      ofNode: config.streamsPerNode,
    },
    installation: {
      version: VERSION,
      settings: effectiveSettings(
        process.env,
        transports.map(({ definition }) => definition),
      ),
    },
  });
  await listen(http, config);
  return { port: portOf(http.addresses()), close: async () => void (await http.close()) };
}

async function listen(http: ReturnType<typeof createHttpServer>, { host, port }: Config): Promise<void> {
  try {
    await http.listen({ host, port });
  } catch (error) {
    throw new Error(`Cannot listen at HOST ${host}, PORT ${port}: ${String(error)}. Set others.`, {
      cause: error,
    });
  }
}

/** Null unless METRICS_LISTEN is set: then the HTTP interface serves the metrics. */
export async function listenForMetrics(
  { metricsListen: at }: Config,
  log: Log,
): Promise<MetricsServer | null> {
  if (at === null) return null;
  try {
    const server = await startMetricsServer(metrics.registry, at);
    log.info({ url: server.url }, "metrics have a listener of their own");
    return server;
  } catch (error) {
    throw new Error(`Cannot listen at METRICS_LISTEN ${at.host}:${at.port}: ${String(error)}. Set another.`, {
      cause: error,
    });
  }
}

function portOf(addresses: ReturnType<ReturnType<typeof createHttpServer>["addresses"]>): number {
  const [first] = addresses;
  return typeof first === "object" ? first.port : 0;
}
