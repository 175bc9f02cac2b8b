/** The style of all pages; light or dark as the reader's system prefers. Colours are those of `web/kit/tokens.css`. */
export const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#161a22, #e8ebf1); --dim: light-dark(#5b6474, #9aa4b4); --line: light-dark(#e3e6eb, #2a303b); --edge: light-dark(#858d9b, #6b7687); --bg: light-dark(#fff, #12151b); --pane: light-dark(#f6f7f9, #181c24); --accent: light-dark(#2457d6, #7ea6ff); --bad: light-dark(#b3261e, #ff8a80); --top: 3.25rem; }
* { box-sizing: border-box; }
[hidden] { display: none; }
html { scroll-padding-top: calc(var(--top) + 1rem); }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
body { margin: 0; font: .9375rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--ink); background: var(--bg); overflow-wrap: anywhere; }
a { color: var(--accent); }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .8125rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
button, input { font: inherit; color: inherit; }
button { min-height: 2.25rem; padding: .25rem .75rem; border: 1px solid var(--edge); border-radius: 6px; background: var(--bg); cursor: pointer; }
.skip { position: fixed; left: -99rem; z-index: 3; }
.skip:focus { left: .5rem; top: .5rem; padding: .5rem .75rem; background: var(--bg); }

header { position: sticky; top: 0; z-index: 2; display: flex; gap: .75rem; align-items: center; min-height: var(--top); padding: .25rem 1rem; border-bottom: 1px solid var(--line); background: var(--bg); }
header .home { flex: 1; color: inherit; font-weight: 600; text-decoration: none; }
.language { display: flex; margin: 0; padding: 2px; border: 1px solid var(--edge); border-radius: 6px; }
.language legend { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
.language input { position: absolute; opacity: 0; }
.language label { display: grid; align-items: center; min-height: 1.875rem; padding: 0 .625rem; border-radius: 4px; font-size: .8125rem; cursor: pointer; }
.language label:has(:checked) { background: var(--accent); color: light-dark(#fff, #0b1220); }
.language label:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 2px; }
body:has(#as-curl:checked) .typescript, body:has(#as-typescript:checked) .curl { display: none; }

nav { font-size: .875rem; background: var(--pane); }
nav input { width: 100%; min-height: 2.5rem; padding: 0 .75rem; background: var(--bg); border: 1px solid var(--edge); border-radius: 6px; }
nav .count { min-height: 1.25rem; margin: .25rem 0; font-size: .75rem; color: var(--dim); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav ul ul { margin: 0 0 .5rem .5rem; border-left: 1px solid var(--line); }
nav a { display: flex; gap: .5rem; justify-content: space-between; align-items: center; min-height: 2rem; padding: .125rem .5rem; border-radius: 6px; color: inherit; text-decoration: none; }
nav a:hover { background: var(--line); }
nav [aria-current] { font-weight: 600; color: var(--accent); }
nav small { flex: none; font: 600 .6875rem/1 ui-monospace, monospace; color: var(--dim); }

main { min-width: 0; padding: 1.5rem 1rem 5rem; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.3; }
h2 { margin: 2.5rem 0 .25rem; font-size: 1.125rem; line-height: 1.35; }
.operation h2 { margin: 0; }
h3 { margin: 1.25rem 0 0; font-size: .875rem; }
h4 { margin: .75rem 0 0; font-size: .8125rem; }
p { margin: .5rem 0; }
.dim { color: var(--dim); }
a.anchor { color: inherit; text-decoration: none; }
a.anchor:hover { text-decoration: underline; }
.text { max-width: 44rem; }
.operation { padding: 1.75rem 0; border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-height: auto 60rem; }
.route { display: flex; flex-wrap: wrap; gap: .25rem .5rem; align-items: center; margin: .25rem 0; }
.method { display: inline-block; padding: .0625rem .375rem; border-radius: 4px; font: 600 .6875rem/1.5 ui-monospace, monospace; color: #fff; background: #52606f; }
.get { background: #2457d6; } .post { background: #0a7a3d; } .patch { background: #8a5a00; } .delete { background: #b3261e; }
.operation:target h2, .operations :target { background: color-mix(in srgb, var(--accent) 18%, transparent); border-radius: 4px; }
ul.fields { list-style: none; margin: 0; padding: 0; font-size: .875rem; }
.fields > li { padding: .5rem 0; border-bottom: 1px solid var(--line); }
.fields > li:last-child { border-bottom: 0; }
.fields p { margin: .125rem 0 0; }
.fields small { color: var(--dim); }
.fields .fields { padding-left: .75rem; border-left: 2px solid var(--line); }
.required { color: var(--bad); font-style: normal; font-size: .75rem; }
.values code { padding: 0 .25rem; background: var(--pane); border: 1px solid var(--line); border-radius: 4px; }
summary { width: fit-content; min-height: 1.5rem; cursor: pointer; color: var(--accent); font-size: .8125rem; }
figure { margin: 0 0 .75rem; border: 1px solid var(--line); border-radius: 6px; background: var(--pane); }
figcaption, figure summary { padding: .375rem .75rem; font-size: .75rem; font-weight: 600; color: var(--dim); }
figcaption { display: flex; justify-content: space-between; align-items: center; }
figcaption button { min-height: 1.5rem; padding: 0 .5rem; font-size: .75rem; }
pre { margin: 0; padding: 0 .75rem .625rem; white-space: pre-wrap; line-height: 1.5; }
pre code { font-size: .75rem; }
ul.operations { list-style: none; margin: .5rem 0 0; padding: 0; }
.operations li { display: grid; gap: 0 1rem; padding: .375rem .25rem; border-bottom: 1px solid var(--line); }
.operations li > span { color: var(--dim); font-size: .875rem; }

@media (min-width: 42rem) { .operations li { grid-template-columns: 14rem minmax(0, 1fr); } .operations li > :nth-child(n + 2) { grid-column: 2; } }
@media (max-width: 59.99rem) {
  nav[popover] { position: fixed; inset: 0 auto 0 0; width: min(20rem, 100vw - 2.5rem); height: 100dvh; max-height: none; margin: 0; padding: 1rem; border: 0; border-right: 1px solid var(--line); color: inherit; overflow-y: auto; }
  nav::backdrop { background: #0006; }
}
@media (min-width: 60rem) {
  header button { display: none; }
  .frame { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
  nav[popover] { display: block; position: sticky; inset: var(--top) auto auto 0; width: auto; height: calc(100vh - var(--top)); margin: 0; padding: 1rem; border: 0; border-right: 1px solid var(--line); color: inherit; overflow-y: auto; }
  main { padding: 2rem 2.5rem 5rem; }
  .operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 28rem); gap: 2.5rem; }
  .examples { position: sticky; top: calc(var(--top) + 1rem); align-self: start; max-height: calc(100vh - var(--top) - 2rem); overflow-y: auto; }
}
@media (min-width: 60rem) and (max-width: 79.99rem) { .operation { grid-template-columns: minmax(0, 1fr) minmax(0, 20rem); gap: 1.5rem; } main { padding: 1.5rem 1.5rem 5rem; } }
@media print { header, nav, .skip { display: none !important; } .examples { position: static; max-height: none; } }
`;

/**
 * What the pages do beyond showing: the search by name, route and summary, the reader's language of examples on all
 * pages, buttons to copy, and the way from an address of the former single page. They work without it.
 */
export const SCRIPT = `
const all = (selector) => [...document.querySelectorAll(selector)];
const menu = document.getElementById("menu");
const field = menu.querySelector("input");
const count = menu.querySelector(".count");
const lists = all("#menu ul ul");
const hidden = lists.map((list) => list.hidden);
const entries = all("#menu li li");
const texts = entries.map((entry) => (entry.textContent + " " + entry.firstChild.title).toLowerCase());

field.hidden = false;
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  entries.forEach((entry, at) => { entry.hidden = !words.every((word) => texts[at].includes(word)); });
  lists.forEach((list, at) => {
    list.hidden = words.length === 0 ? hidden[at] : !list.querySelector("li:not([hidden])");
    list.parentElement.hidden = words.length > 0 && list.hidden;
  });
  const found = entries.filter((entry) => !entry.hidden).length;
  count.textContent = words.length === 0 ? "" : found === 0 ? "No operation has all these words." : found === 1 ? "1 operation" : found + " operations";
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && field.value.trim() !== "") entries.find((entry) => !entry.hidden)?.firstChild.click();
  if (event.key === "Escape" && field.value !== "") { event.preventDefault(); field.value = ""; field.dispatchEvent(new Event("input")); }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=search]")) return;
  event.preventDefault();
  if (!menu.checkVisibility()) menu.showPopover();
  field.focus();
});
menu.addEventListener("click", (event) => {
  if (event.target.closest("a") && menu.matches(":popover-open")) menu.hidePopover();
});

const choices = all("input[name=language]");
const stored = () => { try { return localStorage.getItem("docs-language"); } catch { return null; } };
for (const choice of choices) {
  if (choice.value === stored()) choice.checked = true;
  choice.addEventListener("change", () => { try { localStorage.setItem("docs-language", choice.value); } catch {} });
}

for (const place of all(".origin")) place.textContent = location.origin;
if (navigator.clipboard !== undefined)
  for (const caption of all("figure > figcaption")) {
    const button = document.createElement("button");
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy: " + caption.dataset.label);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(caption.nextElementSibling.textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    caption.append(button);
  }

const moved = () => {
  const place = document.getElementById(location.hash.slice(1));
  if (place?.matches(".moved, .operations > li")) location.replace(place.querySelector("a").href);
};
addEventListener("hashchange", moved);
moved();
`;
