import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";

/** A separate listener for `/metrics`, which need not be reachable where the interface is. */
export interface MetricsServer {
  readonly url: string;
  /** Closes all connections immediately: an aborted scrape is harmless. */
  close(): Promise<void>;
}

type Metrics = Pick<Registry, "contentType" | "metrics">;

/** Listens and serves `GET /metrics`; every other path is 404. Rejects if it cannot listen. */
export async function startMetricsServer(
  registry: Metrics,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<MetricsServer> {
  const server = createServer((request, response) => void answer(registry, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(registry: Metrics, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? "").split("?", 1)[0];
  const isKnown = path === "/metrics" && (request.method === "GET" || request.method === "HEAD");
  const text = isKnown ? await registry.metrics().catch(() => null) : "";
  const status = text === null ? 500 : isKnown ? 200 : 404;
  response.writeHead(status, {
    "content-type": isKnown ? registry.contentType : "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  response.end(request.method === "HEAD" ? undefined : (text ?? ""));
}
