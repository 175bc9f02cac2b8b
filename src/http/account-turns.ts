import type { RouteHandlerMethod } from "fastify";
import { Turns } from "../core/turns.ts";
import { type App, scopeOf } from "./app.ts";

/** Of one account on one node; all share its connections to the database, ten unless set. */
const OPTIONS = {
  atATime: 3,
  // As many as may be asked in a minute, unless set, and may well come at once.
  maxWaiting: 1_000,
  refusal: "Too many requests of the account wait for their turn; repeat the request later",
};
/** Beside what reads: large loads, and what searches the log of deliveries. */
const LARGE_WRITES = /^\/v[23]\/(users|contacts|deals|pipelines|webhooks\/replay)(\/|$)/;

/**
 * Lets requests that may take the database long wait for each other within their account: far pages of long lists, or a
 * few hundred loads at once, would hold every connection, which others need, and so does the node for its lease. For the
 * routes that follow.
 */
export function takeAccountTurns(app: App): void {
  const byAccount = new Map<number, { readonly turns: Turns; requests: number }>();

  async function inTurn<T>(account: number, work: () => Promise<T>): Promise<T> {
    const own = byAccount.get(account) ?? { turns: new Turns(OPTIONS), requests: 0 };
    byAccount.set(account, own);
    own.requests++;
    try {
      return await own.turns.take(work);
    } finally {
      if (--own.requests === 0) byAccount.delete(account);
    }
  }

  app.addHook("onRoute", (route) => {
    const reads = [route.method].flat().every((method) => method === "GET" || method === "HEAD");
    if (!reads && !LARGE_WRITES.test(route.url)) return;
    const handler: RouteHandlerMethod = route.handler;
    route.handler = function inItsTurn(request, reply) {
      return inTurn(scopeOf(request).accountId, async () => handler.call(this, request, reply));
    };
  });
}
