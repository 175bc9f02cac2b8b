import { type Html, html } from "../../../platform/foreign/html.ts";
import type { OpenApiDocument } from "../document.ts";
import { codeFigure } from "./figure.ts";
import { paragraphs } from "./prose.ts";
import { type Listed, listedIn, type Section } from "./section.ts";

/** What applies to all requests, how to begin, and every operation with the way to it. */
export function overview({ info }: OpenApiDocument, sections: readonly Section[]): Html {
  return html`<div class="text"><h1>${info.title}: the interface</h1>
<p class="dim">Version ${info.version} · <a href="/openapi.json">openapi.json</a></p>
${paragraphs(info.description)}
<h2 id="examples">Examples</h2>
<p>Each operation has an example in curl and in TypeScript. They need this beforehand:</p>
${codeFigure({ language: "curl", label: "before the examples" }, SHELL)}${codeFigure({ language: "TypeScript", label: "before the examples" }, CLIENT)}
<p>The TypeScript client is in <code>clients/typescript</code> of the source code, with clients for Python, PHP and Go beside it: there, too, each operation is a function of this name.</p>
${sections.map(sectionList)}</div>`;
}

/** The page fills in its own address. */
const ORIGIN: Html = html`<span class="origin">https://gateway.example</span>`;

const SHELL: Html = html`BASE_URL=${ORIGIN}
ACCESS_TOKEN=…             # routes below /v2
API_KEY=…                  # routes below /v3
EMAIL=… PASSWORD=…         # routes of partners`;

const CREATE = "const trunkline = createClient({";

const CLIENT: Html = html`import { createClient } from "@trunkline/client";

const { ACCESS_TOKEN = "", API_KEY = "", EMAIL = "", PASSWORD = "" } = process.env;
${CREATE}
  baseUrl: "${ORIGIN}",
  accessToken: ACCESS_TOKEN, // routes below /v2
  apiKey: API_KEY, // routes below /v3
  partner: { email: EMAIL, password: PASSWORD }, // routes of partners
});`;

/** The ids are those of the sections: an address of the former single page leads here, and on. */
function sectionList(section: Section): Html {
  const { name, title, description } = section;
  return html`<h2 id="${name}" class="moved"><a href="/docs/${name}">${title}</a></h2><p class="dim">${description}</p>
<ul class="operations">${listedIn(section).map((each) => itemOf(name, each))}</ul>`;
}

function itemOf(page: string, { id, label, method, path, summary }: Listed): Html {
  const route = method === "" ? html`` : html`<code>${method} ${path}</code>`;
  return html`<li id="${id}"><a href="/docs/${page}#${id}">${label}</a>${route}<span>${summary}</span></li>`;
}
