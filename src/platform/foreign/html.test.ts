import { expect, it } from "vitest";
import { html } from "./html.ts";

it.each([
  ["text", html`<b>${"Ann & Bob's"}</b>`, "<b>Ann &amp; Bob&#39;s</b>"],
  ["an attribute", html`<a href="${'x" onclick="y'}">`, '<a href="x&quot; onclick=&quot;y">'],
  ["markup within markup", html`<p>${html`<i>${"<"}</i>`}</p>`, "<p><i>&lt;</i></p>"],
  [
    "a list",
    html`<ul>${["a", ">"].map((each) => html`<li>${each}</li>`)}</ul>`,
    "<ul><li>a</li><li>&gt;</li></ul>",
  ],
])("%s", (_, built, expected) => {
  expect(built.html).toBe(expected);
});
