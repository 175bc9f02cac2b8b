import type { Histogram, Registry } from "prom-client";
import type { Log } from "../platform/log.ts";
import type { App } from "./app.ts";

/** What the server counts into, and what `/metrics` shows; without a registry there is no such route. */
export interface HttpMetrics {
  readonly registry: Pick<Registry, "contentType" | "metrics"> | null;
  /** In seconds. */
  readonly httpDuration: Histogram<"method" | "route" | "status">;
}

/** Measures every answer by its route's pattern and status. Writes a line for each at `debug` only. */
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

/** Looks each set of labels up once: an observation on the path of every request must cost next to nothing. */
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
