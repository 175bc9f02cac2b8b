import type { App } from "../app.ts";
import { JSON_TYPE } from "../errors.ts";
import { type Prebuilt, prebuild, sendPrebuilt } from "../prebuilt.ts";
import { errorSchema } from "../schema/shapes.ts";
import { withAlternatives } from "./alternatives.ts";
import { openApiDocument } from "./document.ts";
import { withNamedShapes } from "./named-shapes.ts";
import { DOCS_POLICY, docsPage } from "./page/page.ts";
import { PAGES, type Route } from "./routes.ts";

/**
 * `/openapi.json`, `/docs` for people, and `/app/openapi.json` for the pages' routes. `routes` is called after all of
 * them are registered.
 */
export function docsRoutes(app: App, routes: () => readonly Route[]): void {
  let built: Promise<Record<"json" | "pages" | "page", Prebuilt>> | undefined;
  const build = async () => {
    const [own, open] = [true, false].map((ofPages) =>
      routes().filter(({ url }) => url.startsWith(PAGES) === ofPages),
    );
    const document = openApiDocument(open ?? [], errorSchema);
    const [json, pages, page] = await Promise.all([
      prebuild(JSON_TYPE, JSON.stringify(withNamedShapes(withAlternatives(document)))),
      prebuild(JSON_TYPE, JSON.stringify(openApiDocument(own ?? [], errorSchema))),
      prebuild("text/html; charset=utf-8", docsPage(document)),
    ]);
    return { json, pages, page };
  };
  const parts = () => (built ??= build());
  const schema = { hide: true } as object;
  app.get("/openapi.json", { schema }, async (request, reply) => {
    reply.headers({ "access-control-allow-origin": "*", "cache-control": "no-cache" });
    return sendPrebuilt(request, reply, (await parts()).json);
  });
  app.get("/app/openapi.json", { schema }, async (request, reply) => {
    reply.header("cache-control", "no-cache");
    return sendPrebuilt(request, reply, (await parts()).pages);
  });
  app.get("/docs", { schema }, async (request, reply) => {
    reply.headers({ "content-security-policy": DOCS_POLICY, "cache-control": "no-cache" });
    return sendPrebuilt(request, reply, (await parts()).page);
  });
}
