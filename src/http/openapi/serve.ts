import type { App } from "../app.ts";
import { errorSchema } from "../shapes.ts";
import { type OpenApiDocument, openApiDocument } from "./document.ts";
import { DOCS_POLICY, docsPage } from "./page/page.ts";
import type { Route } from "./routes.ts";

/** `/openapi.json`, and `/docs` for people. The routes are asked for once all of them are there. */
export function docsRoutes(app: App, routes: () => readonly Route[]): void {
  let built: { document: OpenApiDocument; json: string; page: string } | undefined;
  const build = () => {
    if (built !== undefined) return built;
    const document = openApiDocument(routes(), errorSchema);
    built = { document, json: JSON.stringify(document), page: docsPage(document) };
    return built;
  };
  const schema = { hide: true } as object;
  app.get("/openapi.json", { schema }, async (_request, reply) =>
    reply
      .headers({ "access-control-allow-origin": "*", "cache-control": "no-cache" })
      .type("application/json; charset=utf-8")
      .send(build().json),
  );
  app.get("/docs", { schema }, async (_request, reply) =>
    reply
      .headers({ "content-security-policy": DOCS_POLICY, "cache-control": "no-cache" })
      .type("text/html; charset=utf-8")
      .send(build().page),
  );
}
