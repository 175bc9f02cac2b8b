import type { App } from "../app.ts";
import { errorSchema } from "../schema/shapes.ts";
import { type OpenApiDocument, openApiDocument } from "./document.ts";
import { DOCS_POLICY, docsPage } from "./page/page.ts";
import { PAGES, type Route } from "./routes.ts";

/**
 * `/openapi.json`, `/docs` for people, and `/app/openapi.json` for the pages' routes. `routes` is called after all of
 * them are registered.
 */
export function docsRoutes(app: App, routes: () => readonly Route[]): void {
  let built: { document: OpenApiDocument; json: string; pages: string; page: string } | undefined;
  const build = () => {
    if (built !== undefined) return built;
    const [own, open] = [true, false].map((ofPages) =>
      routes().filter(({ url }) => url.startsWith(PAGES) === ofPages),
    );
    const document = openApiDocument(open ?? [], errorSchema);
    const pages = JSON.stringify(openApiDocument(own ?? [], errorSchema));
    built = { document, json: JSON.stringify(document), pages, page: docsPage(document) };
    return built;
  };
  const schema = { hide: true } as object;
  app.get("/openapi.json", { schema }, async (_request, reply) =>
    reply
      .headers({ "access-control-allow-origin": "*", "cache-control": "no-cache" })
      .type("application/json; charset=utf-8")
      .send(build().json),
  );
  app.get("/app/openapi.json", { schema }, async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(build().pages),
  );
  app.get("/docs", { schema }, async (_request, reply) =>
    reply
      .headers({ "content-security-policy": DOCS_POLICY, "cache-control": "no-cache" })
      .type("text/html; charset=utf-8")
      .send(build().page),
  );
}
