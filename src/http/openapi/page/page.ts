import { hash } from "node:crypto";
import { type Html, html } from "../../../platform/foreign/html.ts";
import type { OpenApiDocument } from "../document.ts";
import { SCRIPT, STYLE } from "./assets.ts";
import { eventSection } from "./event.ts";
import { navigation } from "./navigation.ts";
import { operationSection } from "./operation.ts";
import { overview } from "./overview.ts";
import { type Section, sectionsOf } from "./section.ts";

/** Only the pages' own style and script; they load nothing from elsewhere. */
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

/**
 * The interface's documentation, built from its description: the overview under the name `""`, and a page for each
 * section. Each is built when it is asked for. Pure.
 */
export function docsPages(document: OpenApiDocument): ReadonlyMap<string, () => string> {
  const sections = sectionsOf(document);
  const { title } = document.info;
  const page = (name: string, heading: string, main: () => Html) =>
    [name, () => frame({ sections, name, title, heading }, main()).html] as const;
  return new Map([
    page("", "Interface", () => overview(document, sections)),
    ...sections.map((section) => page(section.name, section.title, () => sectionMain(section))),
  ]);
}

function sectionMain({ title, description, entries, events }: Section): Html {
  return html`<h1>${title}</h1><p class="dim">${description}</p>
${entries.map(operationSection)}${events.map(eventSection)}`;
}

interface Around {
  readonly sections: readonly Section[];
  /** Of the section; `""` for the overview. */
  readonly name: string;
  readonly title: string;
  readonly heading: string;
}

function frame({ sections, name, title, heading }: Around, main: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading} · ${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<button type="button" popovertarget="menu">Menu</button>
<a class="home" href="/docs">${title}</a>
<fieldset class="language"><legend>Language of the examples</legend>
<label><input type="radio" name="language" id="as-curl" value="curl" checked>curl</label>
<label><input type="radio" name="language" id="as-typescript" value="typescript">TypeScript</label>
</fieldset>
</header>
<div class="frame">
${navigation(sections, name)}
<main id="content" tabindex="-1">
${main}
</main>
</div>
<script>${{ html: SCRIPT }}</script>
</body>
</html>
`;
}
