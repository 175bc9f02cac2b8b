import type { RouteOptions } from "fastify";
import type { Core } from "../../src/core/core.ts";
import type { Transport } from "../../src/core/transport/connector.ts";
import { createRegistry } from "../../src/core/transport/registry.ts";
import type { App } from "../../src/http/app.ts";
import { type OpenApiDocument, openApiDocument } from "../../src/http/openapi/document.ts";
import { SHAPES } from "../../src/http/openapi/named-shapes.ts";
import { collectRoutes, PAGES } from "../../src/http/openapi/routes.ts";
import { errorSchema } from "../../src/http/schema/shapes.ts";
import { createHttpServer } from "../../src/http/server.ts";
import * as metrics from "../../src/platform/metrics.ts";
import { transports as allTransports } from "../../src/transports/index.ts";
import { quietLog } from "./database.ts";

interface Installation {
  readonly transports?: readonly Transport[];
}

function createInterface({ transports = allTransports }: Installation = {}): App {
  return createHttpServer({
    core: { transports: createRegistry(transports, {}) } as unknown as Core,
    readiness: () => ({ ready: true, checks: {} }),
    trustedProxies: [],
    log: quietLog,
    metrics,
  });
}

/** Every route with its schemas, those outside the described interface included. */
export async function allRoutes(): Promise<RouteOptions[]> {
  const http = createInterface();
  const routes: RouteOptions[] = [];
  http.addHook("onRoute", (route) => void routes.push(route as RouteOptions));
  await http.ready();
  await http.close();
  return routes;
}

type DescriptionPath = "/openapi.json" | "/app/openapi.json";

/** The interface's description as the server returns it. Registering routes uses only the transports of core. */
export async function servedDescription(installation?: Installation): Promise<OpenApiDocument> {
  const http = createInterface(installation);
  try {
    return (await http.inject("/openapi.json")).json<OpenApiDocument>();
  } finally {
    await http.close();
  }
}

/** The same before shapes are named: each is where it is used. */
export async function describeInterface(path: DescriptionPath = "/openapi.json"): Promise<OpenApiDocument> {
  const http = createInterface();
  const routes = collectRoutes(http);
  await http.ready();
  await http.close();
  const ofPages = path === "/app/openapi.json";
  const own = routes().filter(({ url }) => url.startsWith(PAGES) === ofPages);
  return JSON.parse(JSON.stringify(openApiDocument(own, errorSchema)));
}

/** A part of the document with every named shape in the place of its references. */
export function withoutReferences<T>({ components }: Pick<OpenApiDocument, "components">, part: T): T {
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved);
    if (typeof value !== "object" || value === null) return value;
    const { $ref = "", ...own } = value as { readonly $ref?: string };
    if (!$ref.startsWith(SHAPES)) return mapped(value, resolved);
    return { ...(resolved(components.schemas[$ref.slice(SHAPES.length)]) as object), ...own };
  };
  return resolved(part) as T;
}

function mapped(value: object, change: (each: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, change(each)]));
}
