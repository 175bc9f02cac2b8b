import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../core/errors.ts";
import type { App } from "../app.ts";
import { JSON_TYPE } from "../errors.ts";
import { type Prebuilt, prebuild, sendPrebuilt } from "../prebuilt.ts";
import { errorSchema } from "../schema/shapes.ts";
import { withAlternatives } from "./alternatives.ts";
import { openApiDocument } from "./document.ts";
import { withNamedShapes } from "./named-shapes.ts";
import { DOCS_POLICY, docsPages } from "./page/page.ts";
import { PAGES, type Route } from "./routes.ts";

const HTML_TYPE = "text/html; charset=utf-8";
const PUBLIC = { "access-control-allow-origin": "*" };

/**
 * `/openapi.json`, `/docs` with a page for each section for people, and `/app/openapi.json` for the pages' routes. Each
 * is built and compressed once, when it is first asked for. `routes` is called after all of them are registered.
 */
export function docsRoutes(app: App, routes: () => readonly Route[]): void {
  const described = (ofPages: boolean) => {
    const own = routes().filter(({ url }) => url.startsWith(PAGES) === ofPages);
    return openApiDocument(own, errorSchema);
  };
  let pages: ReturnType<typeof docsPages> | undefined;
  const send = sender();
  const sendPage = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    pages ??= docsPages(described(false));
    const page = pages.get(name);
    if (page === undefined) throw new AppError("NOT_FOUND");
    reply.header("content-security-policy", DOCS_POLICY);
    return send(request, reply, { name: `/docs/${name}`, type: HTML_TYPE, build: page });
  };
  const schema = { hide: true } as object;
  app.get("/openapi.json", { schema }, (request, reply) => {
    const build = () => JSON.stringify(withNamedShapes(withAlternatives(described(false))));
    return send(request, reply.headers(PUBLIC), { name: "/openapi.json", type: JSON_TYPE, build });
  });
  app.get("/app/openapi.json", { schema }, (request, reply) => {
    const build = () => JSON.stringify(described(true));
    return send(request, reply, { name: "/app/openapi.json", type: JSON_TYPE, build });
  });
  app.get("/docs", { schema }, async (request, reply) => sendPage(request, reply, ""));
  app.get<{ Params: { section: string } }>("/docs/:section", { schema }, async (request, reply) =>
    sendPage(request, reply, request.params.section),
  );
}

interface Source {
  readonly name: string;
  readonly type: string;
  build(): string;
}

/** Sends what it has built once, or 304 to a client that has it. */
function sender() {
  const built = new Map<string, Promise<Prebuilt>>();
  return async (request: FastifyRequest, reply: FastifyReply, { name, type, build }: Source) => {
    const known = built.get(name) ?? prebuild(type, build());
    built.set(name, known);
    return sendPrebuilt(request, reply.header("cache-control", "no-cache"), await known);
  };
}
