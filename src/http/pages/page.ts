import { hash } from "node:crypto";
import { type Html, html } from "../../platform/html.ts";

/** Readable without JavaScript, in the dark too, and at four times the size. */
const STYLE = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0; padding: 1.5rem 1rem; background: Canvas; color: CanvasText; }
main { max-width: 30rem; margin: 0 auto; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
label { display: block; font-weight: 600; }
input { box-sizing: border-box; width: 100%; padding: 0.6rem; font: inherit; border: 1px solid GrayText; border-radius: 0.3rem; background: Field; color: FieldText; }
button { min-height: 2.75rem; margin: 1rem 0.5rem 0 0; padding: 0.5rem 1.25rem; font: inherit; border: 1px solid; border-radius: 0.3rem; background: ButtonFace; color: ButtonText; cursor: pointer; }
button.main { background: #0b5cad; border-color: #0b5cad; color: #fff; }
button.link { border: 0; padding: 0; margin: 0; background: none; color: LinkText; text-decoration: underline; }
:focus-visible { outline: 3px solid CanvasText; outline-offset: 2px; }
.problem { padding: 0.75rem; border: 2px solid; border-radius: 0.3rem; font-weight: 600; }
.hint { font-size: 0.9rem; }
`;
const STYLE_SOURCE = `'sha256-${hash("sha256", STYLE, "base64")}'`;

/** A whole page with its one style sheet inside. */
export function page(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.html;
}

/**
 * Headers of a page: nothing but its own style is loaded or run. `formTargets` are the origins where its form may end
 * up, beside our own; `frames` says who may show it inside of another page.
 */
export function pageHeaders(options: {
  readonly formTargets?: readonly string[];
  readonly frames: "'none'" | "*";
}): Record<string, string> {
  const targets = options.formTargets === undefined ? "'none'" : ["'self'", ...options.formTargets].join(" ");
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src ${STYLE_SOURCE}; form-action ${targets}; base-uri 'none'; frame-ancestors ${options.frames}`,
    ...(options.frames === "'none'" ? { "x-frame-options": "DENY" } : {}),
    // With `no-referrer`, as on other answers, browsers would not say where a form was sent from.
    "referrer-policy": "same-origin",
  };
}
