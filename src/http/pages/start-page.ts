import { type Html, html } from "../../platform/foreign/html.ts";
import type { App } from "../app.ts";
import { page, pageHeaders } from "./page.ts";

/** `GET /`: where to go from the service's address. `phone` is the page of the sandbox's phone, if there is one. */
export function startPageRoute(app: App, phone: string | undefined): void {
  const text = page("Trunkline", contentOf(phone));
  app.get("/", { schema: { hide: true } as object }, (_request, reply) =>
    reply.headers(pageHeaders({ frames: "'none'" })).send(text),
  );
}

function contentOf(phone: string | undefined): Html {
  const sandbox =
    phone === undefined
      ? html``
      : html`<li><a href="${phone}">Phone of the sandbox</a>: write as a customer to the emulated messengers.</li>`;
  return html`<p>The messaging gateway works.</p>
<ul>
<li><a href="/app/console">Console</a>: accounts, channels, messages and alerts, for operators.</li>
<li><a href="/docs">Documentation of the interface</a>, also as <a href="/openapi.json">OpenAPI</a>.</li>
${sandbox}
<li><a href="/readyz">Readiness</a> of this node.</li>
</ul>`;
}
