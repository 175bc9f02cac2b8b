import { type Html, html } from "../../../platform/foreign/html.ts";
import { type Listed, listedIn, type Section } from "./section.ts";

/**
 * The list of sections, with the operations of the current one. Those of others are hidden: the search finds them. On
 * narrow screens it opens from a button.
 */
export function navigation(sections: readonly Section[], current: string): Html {
  return html`<nav id="menu" popover aria-label="Operations">
<input type="search" name="search" placeholder="Search ( / )" aria-label="Search operations" autocomplete="off" hidden>
<p class="count" role="status"></p>
<ul><li><a href="/docs"${current === "" ? CURRENT : html``}>Overview</a></li>${sections.map((section) => sectionItem(section, section.name === current))}</ul>
</nav>`;
}

const CURRENT: Html = html` aria-current="page"`;

function sectionItem(section: Section, isCurrent: boolean): Html {
  const { name, title } = section;
  const hidden = isCurrent ? html`` : html` hidden`;
  const items = listedIn(section).map((each) => itemOf(isCurrent ? "" : `/docs/${name}`, each));
  return html`<li><a href="/docs/${name}"${isCurrent ? CURRENT : html``}>${title}</a><ul${hidden}>${items}</ul></li>`;
}

function itemOf(page: string, { id, label, method, path, summary }: Listed): Html {
  const title = path === "" ? summary : `${path} ${summary}`;
  const mark = method === "" ? html`` : html` <small>${method}</small>`;
  return html`<li><a href="${page}#${id}" title="${title}">${label}${mark}</a></li>`;
}
