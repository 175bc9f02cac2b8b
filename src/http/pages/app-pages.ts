import { html } from "../../platform/html.ts";
import type { App } from "../app.ts";
import { page, pageHeaders } from "./page.ts";

const ABSENT = page(
  "This page is not part of this version",
  html`<p>The service works, but this installation has no pages for people yet. Your link was not used up.</p>`,
);

/** `/app/…`: where the links to pages lead. A CRM may show them inside of its own; the ticket stays as it is. */
export function appPageRoutes(app: App): void {
  for (const url of ["/app", "/app/*"])
    app.get(url, { schema: { hide: true } as object }, (_request, reply) =>
      reply
        .code(501)
        .headers(pageHeaders({ frames: "*" }))
        .send(ABSENT),
    );
}
