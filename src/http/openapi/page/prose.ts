import { type Html, html } from "../../../platform/foreign/html.ts";

/** A sentence with `code` and **bold** in it. */
export function prose(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/);
  return html`${parts.map((part) => {
    if (/^`.+`$/.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
    return /^\*\*.+\*\*$/.test(part) ? html`<strong>${part.slice(2, -2)}</strong>` : html`${part}`;
  })}`;
}

/** Paragraphs, between empty lines. */
export function paragraphs(text: string): Html {
  return html`${text.split("\n\n").map((paragraph) => html`<p>${prose(paragraph)}</p>`)}`;
}
