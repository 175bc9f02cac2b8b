/** The page's style; light or dark as the reader's system prefers. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1a2330; --soft: #5b6675; --line: #dfe4ea; --paper: #fff; --shade: #f5f7f9; --accent: #1767c0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #98a3b3; --line: #303946; --paper: #14191f; --shade: #1c232b; --accent: #6db1ff; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: .5rem; top: .5rem; z-index: 1; padding: .5rem .8rem; background: var(--paper); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
#nothing { margin: .75rem 0 0; }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem; border-right: 1px solid var(--line); background: var(--shade); font-size: .875rem; }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 1.25rem 0 .25rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .2rem .3rem; border-radius: 4px; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
nav li a:hover { background: var(--line); }
input[type=search] { width: 100%; padding: .5rem .6rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: 6px; }
main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 62rem; }
h1 { margin: 0 0 .5rem; font-size: 2rem; }
h2 { margin: 3rem 0 0; font-size: 1.4rem; }
h3 { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere; }
h4 { margin: 1.5rem 0 .4rem; font-size: .95rem; }
h5 { margin: .9rem 0 .2rem; font-size: .9rem; }
a { color: var(--accent); }
a.anchor { color: inherit; text-decoration: none; }
a.anchor:hover code { text-decoration: underline; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em; }
pre { margin: .5rem 0; padding: .8rem 1rem; overflow-x: auto; background: var(--shade); border: 1px solid var(--line); border-radius: 6px; line-height: 1.45; }
.operation { margin-top: 1.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
.operation:target h3 { background: color-mix(in srgb, var(--accent) 14%, transparent); border-radius: 4px; }
.summary { margin: .3rem 0 0; color: var(--soft); }
.method { display: inline-block; min-width: 3.6em; padding: .05rem .35rem; border-radius: 4px; font: 600 .7rem/1.5 ui-monospace, monospace; text-align: center; color: #fff; background: #52606f; }
.get { background: #1767c0; } .post { background: #1f7a43; } .patch { background: #9a5b00; } .delete { background: #b3261e; }
table.fields { width: 100%; border-collapse: collapse; font-size: .9rem; }
.fields th, .fields td { padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; }
.fields th { width: 30%; overflow-wrap: anywhere; }
.type { width: 20%; color: var(--soft); }
.required { color: #b3261e; font-size: .8rem; font-style: normal; }
@media (prefers-color-scheme: dark) { .required { color: #ff8a80; } }
.values { margin-top: .2rem; }
.values code { padding: 0 .25rem; background: var(--shade); border: 1px solid var(--line); border-radius: 3px; }
.status { font-family: ui-monospace, monospace; }
details { margin-top: 1rem; }
summary { cursor: pointer; font-weight: 600; font-size: .95rem; }
[hidden] { display: none; }
@media (max-width: 56rem) { body { display: block; } nav { position: static; height: auto; max-height: 45vh; border-right: 0; border-bottom: 1px solid var(--line); } .fields, .fields tbody, .fields tr, .fields th, .fields td { display: block; width: auto; } .fields td, .fields th { border: 0; padding: .1rem 0; } .fields tr { border-bottom: 1px solid var(--line); padding: .4rem 0; } }
`;

/** The search: shows the entries that contain all typed words. The page works without it. */
export const SCRIPT = `
const field = document.querySelector("input[type=search]");
const entries = [...document.querySelectorAll("[data-search]")];
const groups = [...document.querySelectorAll("[data-group]")];
const nothing = document.getElementById("nothing");
field.hidden = false;
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const entry of entries) entry.hidden = !words.every((word) => entry.dataset.search.includes(word));
  for (const group of groups) group.hidden = !group.querySelector("[data-search]:not([hidden])");
  nothing.textContent = entries.every((entry) => entry.hidden) ? "No route has all these words." : "";
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); }
});
`;
