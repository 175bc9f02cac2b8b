import type { ErrorCode } from "../../core/errors.ts";
import type { App } from "../app.ts";
import { scopeOfRoute } from "../limit/admission.ts";
import { type BodyLimit, bodyLimitOf } from "../limit/limits.ts";
import { type JsonSchema, openApiSchema } from "./json-schema.ts";

/** A registered route, as far as clients see it. */
export interface Route {
  /** Upper case. */
  readonly method: string;
  /** With parameters as `:id`. */
  readonly url: string;
  readonly schema: RouteSchema;
  readonly errors: readonly ErrorCode[];
  readonly readsBody: boolean;
  /** Clients should leave it. */
  readonly isDeprecated: boolean;
  readonly bodyLimit: BodyLimit;
}

export interface RouteSchema {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly params?: JsonSchema;
  readonly querystring?: JsonSchema;
  readonly body?: JsonSchema;
  readonly response?: Readonly<Record<string, JsonSchema>>;
  /** Not part of the interface: pages, files, callbacks of messengers. */
  readonly hide?: boolean;
}

/** Collects every route from now on; the returned function lists those of the interface, by path and method. */
export function collectRoutes(app: App): () => readonly Route[] {
  const routes: Route[] = [];
  app.addHook("onRoute", ({ url, method, schema = {}, config }) => {
    const described = schema as RouteSchema;
    if (described.hide === true) return;
    const { errors = [], readsBody = false, describedBody, deprecated } = config ?? {};
    // Fastify adds HEAD to every GET.
    for (const each of [method].flat().filter((name) => name !== "HEAD"))
      routes.push({
        method: each,
        url,
        schema: describedBody === undefined ? described : { ...described, body: describedBody as JsonSchema },
        errors,
        readsBody,
        isDeprecated: deprecated !== undefined,
        bodyLimit: bodyLimitOf(config),
      });
  });
  return () =>
    routes.toSorted((a, b) => compare(a.url, b.url) || METHODS.indexOf(a.method) - METHODS.indexOf(b.method));
}

/** The prefix of the pages' routes, which clients do not use, and which may change with any version. */
export const PAGES = "/app/api/";

/** The authentication of a route depends on its part of the interface. */
export function securityOf(url: string): Readonly<Record<string, readonly string[]>>[] {
  if (/^\/v2\/(accounts|oauth)(\/|$)/.test(url)) return [{ partner: [] }];
  if (url.startsWith("/v2/")) {
    const scope = scopeOfRoute(url);
    return [{ accessToken: [] }, { oauth: scope === null ? [] : [scope] }];
  }
  if (/^\/app\/api\/console\/(sign-in|links.*)$/.test(url)) return [];
  if (url.startsWith(`${PAGES}console/`)) return [{ consoleSession: [] }];
  if (/^\/app\/api\/((chat-)?sessions|link-origins|sign-ins\/.*)$/.test(url)) return [];
  if (url.startsWith(PAGES)) return [{ pageSession: [] }];
  return url.startsWith("/v3/") ? [{ apiKey: [] }] : [];
}

/** Bodies of GET and of most DELETEs are ignored. */
export function bodyOf({ method, schema, readsBody }: Route): JsonSchema | undefined {
  if (method === "GET" || (method === "DELETE" && !readsBody)) return undefined;
  return schema.body === undefined ? undefined : openApiSchema(schema.body);
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** By code units, the same in every locale. */
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
