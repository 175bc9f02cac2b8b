import type { FastifyReply, FastifyRequest } from "fastify";
import { authenticate, type TokenKind } from "../core/account/authenticate.ts";
import { countRequest, type RateCount } from "../core/account/rate-limit.ts";
import type { Core } from "../core/core.ts";
import { AppError } from "../core/errors.ts";

const BEARER = /^bearer +([\x21-\x7e]{1,512})$/i;
const SIDECAR_ROUTE = /^\/v3\/(channels|message|webhooks|templates)(\/|$)/;

/** The token of an `Authorization` header; null for anything but one bearer token. */
export function bearerToken(header: string | undefined): string | null {
  return (header !== undefined && BEARER.exec(header.trim())?.[1]) || null;
}

/** Which routes a sidecar API key opens, by the route's pattern. */
export function isSidecarRoute(route: string): boolean {
  return SIDECAR_ROUTE.test(route);
}

/** Runs before anything of the body is read: who is it, how many requests has the account left, may it come here. */
export function createAdmission(core: Core, kinds: readonly TokenKind[]) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const token = bearerToken(request.headers.authorization);
    const identity = token === null ? null : await authenticate(core, token);
    if (identity === null || !kinds.includes(identity.kind)) {
      reply.header("www-authenticate", "Bearer");
      throw new AppError("INVALID_APIKEY");
    }
    request.identity = identity;
    const count = await countRequest(core, identity.accountId);
    if (count.limit > 0) setRateHeaders(reply, count);
    if (!count.allowed) throw new AppError("TOO_MANY_REQUESTS", { retryAfter: count.retryAfter });
    if (identity.kind === "sidecar" && !isSidecarRoute(request.routeOptions.url ?? ""))
      throw new AppError("FORBIDDEN");
  };
}

function setRateHeaders(reply: FastifyReply, count: RateCount): void {
  reply.header("x-ratelimit-limit", count.limit);
  reply.header("x-ratelimit-remaining", count.remaining);
  reply.header("x-ratelimit-reset", count.resetAt);
}
