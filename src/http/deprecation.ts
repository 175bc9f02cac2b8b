import type { App } from "./app.ts";

/**
 * Adds `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to every response of routes with
 * `config: { deprecated }`. The description of the interface marks these routes too.
 */
export function announceDeprecations(app: App): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { deprecated } = request.routeOptions.config;
    if (deprecated !== undefined) {
      const { since, sunset, link } = deprecated;
      reply.header("deprecation", `@${Math.floor(since.getTime() / 1_000)}`);
      if (sunset !== undefined) reply.header("sunset", sunset.toUTCString());
      reply.header("link", `<${link}>; rel="deprecation"; type="text/html"`);
    }
    done();
  });
}
