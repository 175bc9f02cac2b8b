import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Log } from "../platform/log.ts";
import type { App } from "./app.ts";

/** The metrics of the server and of `/metrics`; without a registry there is no such route. */
export interface HttpMetrics {
  readonly registry: Pick<Registry, "contentType" | "metrics"> | null;
  /** In seconds. */
  readonly httpDuration: Histogram<"method" | "route" | "status">;
  readonly openRequests: Gauge<"kind">;
  readonly refusedRequests: Counter<"kind" | "scope">;
}

/** Measures every response by its route's pattern and status. Logs each at `debug` only. */
export function observeRoutes(app: App, metrics: HttpMetrics, log: Log): void {
  app.addHook("onRoute", (route) => {
    const observe = createObserver(metrics, route.url);
    route.onResponse = (request, reply, done) => {
      const { method, id: requestId } = request;
      observe(method, reply.statusCode, reply.elapsedTime);
      if (log.isLevelEnabled("debug")) {
        log.debug(
          { requestId, method, route: route.url, status: reply.statusCode, ms: reply.elapsedTime },
          "answered",
        );
      }
      done();
    };
  });
}

/** Resolves each set of labels once: an observation in the path of every request must be cheap. */
function createObserver({ httpDuration }: HttpMetrics, route: string) {
  const known = new Map<string, ReturnType<typeof labelled>>();
  const labelled = (method: string, status: number) => httpDuration.labels(method, route, String(status));
  return (method: string, status: number, ms: number): void => {
    const key = method + status;
    let histogram = known.get(key);
    if (histogram === undefined) {
      histogram = labelled(method, status);
      known.set(key, histogram);
    }
    histogram.observe(ms / 1000);
  };
}
