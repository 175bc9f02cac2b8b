import { hash } from "node:crypto";
import { type Html, html } from "../../../platform/foreign/html.ts";
import { answerOf } from "../answer.ts";
import type { OpenApiDocument } from "../document.ts";
import type { Operation } from "../operation.ts";
import { SCRIPT, STYLE } from "./assets.ts";
import { eventSection, linkToEvent } from "./event.ts";
import { type Entry, operationSection } from "./operation.ts";
import { paragraphs } from "./prose.ts";

/** Only the page's own style and search; it loads nothing from elsewhere. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src '${sourceHash(STYLE)}'`,
  `script-src '${sourceHash(SCRIPT)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function sourceHash(text: string): string {
  return `sha256-${hash("sha256", text, "base64")}`;
}

/** The interface's documentation: one page, built from its description. */
export function docsPage(document: OpenApiDocument): string {
  const groups = document.tags.map((tag) => ({
    ...tag,
    entries: entriesOf(document, tag.name),
    events: Object.entries(document.webhooks).filter(([, { post }]) =>
      post.tags.some((name) => name === tag.name),
    ),
  }));
  const { title, version, description } = document.info;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: the interface</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<a class="skip" href="#routes">Skip the list of routes</a>
<nav aria-label="Routes">
<input type="search" name="search" placeholder="Search ( / )" aria-label="Search routes" hidden>
<p id="nothing" role="status"></p>
${groups.map(
  ({ name, entries, events }) =>
    html`<div data-group><h2><a class="anchor" href="#${name}">${name}</a></h2><ul>${entries.map(linkTo)}${events.map(linkToEvent)}</ul></div>`,
)}
</nav>
<main id="routes">
<h1>${title}</h1>
<p class="summary">Version ${version} · <a href="/openapi.json">openapi.json</a></p>
${paragraphs(description)}
${groups.map(
  (group) =>
    html`<div data-group><h2 id="${group.name}">${capitalised(group.name)}</h2><p class="summary">${group.description}</p>${group.entries.map(operationSection)}${group.events.map(eventSection)}</div>`,
)}
</main>
<script>${{ html: SCRIPT }}</script>
</body>
</html>
`;
  return page.html;
}

function entriesOf(document: OpenApiDocument, tag: string): Entry[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
        answers: answersOf(document, operation),
      })),
  );
}

function answersOf(document: OpenApiDocument, { responses }: Operation): Entry["answers"] {
  return Object.entries(responses).map(([status, answer]) => [status, answerOf(document, answer)] as const);
}

function linkTo({ method, path, operation }: Entry): Html {
  const { operationId, summary } = operation;
  const search = `${method} ${path} ${summary} ${operationId}`.toLowerCase();
  return html`<li data-search="${search}"><a href="#${operationId}" title="${summary}"><span class="method ${method.toLowerCase()}">${method}</span> <span>${path}</span></a></li>`;
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
