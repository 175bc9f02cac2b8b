import type { App } from "./app.ts";

/** A request in whose work messages may be stored. */
export interface TracedRequest {
  readonly method: string;
  /** The pattern of the route, never the URL. */
  readonly route: string;
  /** W3C Trace Context, as the client sent it. */
  readonly traceparent: string | undefined;
}

/** Notes which messages a request stores. */
export interface RequestTraces {
  /** Runs the work of a request. */
  run(request: TracedRequest, work: () => void): void;
  /** The request was answered. No effect unless messages were stored. */
  answered(request: TracedRequest, status: number, durationMs: number): void;
}

/** Traces the requests that may store messages. Register it before the routes. */
export function traceRequests(app: App, traces: RequestTraces): void {
  const running = new WeakMap<object, TracedRequest>();
  // After the body was read: reading it would lose the asynchronous context.
  app.addHook("preHandler", (request, _reply, done) => {
    if (request.method !== "POST") return done();
    const { traceparent } = request.headers;
    const traced = {
      method: request.method,
      route: request.routeOptions.url ?? "",
      traceparent: typeof traceparent === "string" ? traceparent : undefined,
    };
    running.set(request, traced);
    traces.run(traced, done);
  });
  app.addHook("onResponse", (request, reply, done) => {
    const traced = running.get(request);
    if (traced !== undefined) traces.answered(traced, reply.statusCode, reply.elapsedTime);
    done();
  });
}
