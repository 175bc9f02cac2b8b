import type { FastifyRequest, RouteHandlerMethod } from "fastify";
import { AccountConcurrencyLimit } from "../../core/concurrency-limit.ts";
import type { Scope } from "../../core/scope.ts";
import type { App } from "../app.ts";

/** For one account on one node; all share its connections to the database, ten by default. */
const OPTIONS = {
  maxConcurrent: 3,
  // The default limit of requests a minute, which may arrive at once.
  maxWaiting: 1_000,
  refusal: "Too many requests of the account are waiting; repeat the request later",
};
/** In addition to reads: large uploads, and searches of the delivery log. */
const LARGE_WRITES = /^\/v[23]\/(users|contacts|deals|pipelines|webhooks\/replay)(\/|$)/;

/**
 * Limits how many requests of an account that may take long in the database run concurrently: far pages of long
 * lists, or hundreds of uploads at once, would use up the connections of others and of the node's lease. For the
 * routes registered after it; `scopeOf` tells whose a request is.
 */
export function limitAccountConcurrency(app: App, scopeOf: (request: FastifyRequest) => Scope): void {
  const limit = new AccountConcurrencyLimit(OPTIONS);
  app.addHook("onRoute", (route) => {
    const reads = [route.method].flat().every((method) => method === "GET" || method === "HEAD");
    if (route.config?.asksMessenger === true || (!reads && !LARGE_WRITES.test(route.url))) return;
    const handler: RouteHandlerMethod = route.handler;
    route.handler = function inItsTurn(request, reply) {
      return limit.run(scopeOf(request).accountId, async () => handler.call(this, request, reply));
    };
  });
}
