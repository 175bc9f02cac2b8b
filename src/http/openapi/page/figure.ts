import { type Html, html } from "../../../platform/foreign/html.ts";

/** Longer examples of responses are closed at first. */
const MAX_OPEN_LINES = 30;

interface Code {
  readonly language: "curl" | "TypeScript";
  /** What it does. */
  readonly label: string;
  /** There is no other language: it is shown whichever the reader has chosen. */
  readonly isOnly?: boolean;
}

/** An example of a request. */
export function codeFigure({ language, label, isOnly = false }: Code, code: string | Html): Html {
  const shown = isOnly ? "" : language.toLowerCase();
  return html`<figure class="${shown}"><figcaption data-label="${label}">${language}</figcaption><pre><code>${code}</code></pre></figure>`;
}

/** An example of a response, or of an event. */
export function answerFigure(title: string, text: string): Html {
  const open = text.split("\n").length > MAX_OPEN_LINES ? html`` : html` open`;
  return html`<figure><details${open}><summary>${title}</summary><pre><code>${text}</code></pre></details></figure>`;
}
