import type { FastifyReply, FastifyRequest } from "fastify";
import { authenticate, type Identity } from "../../core/account/authenticate.ts";
import { includesScope, type OauthScope } from "../../core/account/oauth-scope.ts";
import { countRequest, type RateCount } from "../../core/account/rate-limit.ts";
import { hashToken, type TokenKind } from "../../core/account/tokens.ts";
import type { Core } from "../../core/core.ts";
import { AppError } from "../../core/errors.ts";
import { reasonOfRefusal } from "./refused-key.ts";

const BEARER = /^bearer +([\x21-\x7e]{1,512})$/i;
const SIDECAR_ROUTE = /^\/v3\/(channels|message|templates)(\/|$)/;
/** Webhook settings, read only; the signing secret is excluded. */
const SIDECAR_READS = /^\/v3\/webhooks(?!\/secret)(\/|$)/;

/** What an agent's token may read. */
const AGENT_READS = /^\/v2\/(chats|messages|contacts|deals|pipelines|users|templates)(\/|$)|^\/v2\/channels$/;
const AGENT_ROUTES: ReadonlySet<string> = new Set(["POST /v2/messages/proposals", "POST /mcp"]);

/** The token of an `Authorization` header; null unless it is exactly one bearer token. */
export function bearerToken(header: string | undefined): string | null {
  return (header !== undefined && BEARER.exec(header.trim())?.[1]) || null;
}

/** Whether a sidecar API key is valid for the route, given its pattern. */
export function isSidecarRoute(method: string, route: string): boolean {
  const reads = method === "GET" || method === "HEAD";
  return SIDECAR_ROUTE.test(route) || (reads && SIDECAR_READS.test(route));
}

/** Whether an agent's token is valid for the route, given its pattern. */
export function isAgentRoute(method: string, route: string): boolean {
  const reads = method === "GET" || method === "HEAD";
  return reads ? AGENT_READS.test(route) : AGENT_ROUTES.has(`${method} ${route}`);
}

const SCOPE_ROUTES: readonly (readonly [OauthScope, RegExp])[] = [
  ["transport", /^\/v2\/(channels|messages|groups|templates|iframe-links)(\/|$)/],
  ["crm", /^\/v2\/(users|contacts|deals|pipelines|counters|chats\/unanswered)(\/|$)/],
  ["transport", /^\/v2\/chats(\/|$)/],
];

/** The scope that an application needs for the route; null if any token of its account is accepted. */
export function scopeOfRoute(route: string): OauthScope | null {
  return SCOPE_ROUTES.find(([, pattern]) => pattern.test(route))?.[0] ?? null;
}

/** Runs before the body is read: authenticates, counts the request, and checks the permissions. */
export function createAdmission(core: Core, kinds: readonly TokenKind[]) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const token = bearerToken(request.headers.authorization);
    const identity = token === null ? null : await identify(core, token);
    if (identity === null || !kinds.includes(identity.kind)) {
      reply.header("www-authenticate", "Bearer");
      const reason = reasonOfRefusal(request.headers.authorization, identity?.kind);
      throw new AppError("INVALID_APIKEY", { data: { reason } });
    }
    request.identity = identity;
    const count = await countRequest(core, identity.accountId);
    if (count.limit > 0) setRateHeaders(reply, count);
    if (!count.allowed) throw new AppError("TOO_MANY_REQUESTS", { retryAfter: count.retryAfter });
    refuseForbidden(identity, request.method, request.routeOptions.url ?? "");
  };
}

/** Throws `AccountElsewhere` if the token's account is in another cell. */
async function identify(core: Core, token: string): Promise<Identity | null> {
  const identity = await authenticate(core, token);
  if (identity !== null) await core.moves.refuseElsewhere(identity.accountId);
  if (identity !== null) return identity;
  const hash = hashToken(token).toString("hex");
  if (!(await core.moves.refuseMoved("token", hash))) return null;
  // It may have come back since it was looked up.
  core.tokens.forget(hash);
  return authenticate(core, token);
}

function refuseForbidden({ kind, scope }: Identity, method: string, route: string): void {
  if (kind === "sidecar" && !isSidecarRoute(method, route)) throw new AppError("FORBIDDEN");
  if (kind === "agent" && !isAgentRoute(method, route)) throw new AppError("APPROVAL_REQUIRED");
  const needed = scopeOfRoute(route);
  if (needed !== null && !includesScope(scope, needed))
    throw new AppError("FORBIDDEN", { description: `The token was not given the scope "${needed}"` });
}

export function setRateHeaders(reply: FastifyReply, count: RateCount): void {
  reply.header("x-ratelimit-limit", count.limit);
  reply.header("x-ratelimit-remaining", count.remaining);
  reply.header("x-ratelimit-reset", count.resetAt);
  // draft-ietf-httpapi-ratelimit-headers
  reply.header("ratelimit-policy", `"requests";q=${count.limit};w=${count.windowSeconds}`);
  reply.header("ratelimit", `"requests";r=${count.remaining};t=${count.retryAfter}`);
}
