import { hash } from "node:crypto";
import { type Html, html } from "../../platform/foreign/html.ts";

/** Readable without JavaScript, in dark mode, and at 400 % zoom. */
const STYLE = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0; padding: 1.5rem 1rem; background: Canvas; color: CanvasText; }
main { max-width: 30rem; margin: 0 auto; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2.5rem 0 0; font-size: 1.15rem; }
label { display: block; margin-top: 1.25rem; font-weight: 600; }
label small { display: block; margin-bottom: 0.25rem; font-size: 0.9rem; font-weight: 400; }
fieldset { margin: 0; padding: 0; border: 0; }
legend { padding: 0; font-weight: 600; }
label.radio { margin-top: 0.75rem; font-weight: 400; }
input:not([type=radio]) { box-sizing: border-box; width: 100%; padding: 0.6rem; font: inherit; font-weight: 400; border: 1px solid GrayText; border-radius: 0.3rem; background: Field; color: FieldText; }
input[aria-invalid] { border: 2px solid light-dark(#a4161a, #ff9a8f); }
button, .button { min-height: 2.75rem; margin: 1rem 0.5rem 0 0; padding: 0.5rem 1.25rem; font: inherit; border: 1px solid; border-radius: 0.3rem; background: ButtonFace; color: ButtonText; cursor: pointer; }
.button { display: inline-block; box-sizing: border-box; text-decoration: none; }
button.main, .button { background: #0b5cad; border-color: #0b5cad; color: #fff; }
button.link { border: 0; padding: 0; margin: 0; background: none; color: LinkText; text-decoration: underline; }
:focus-visible { outline: 3px solid CanvasText; outline-offset: 2px; }
[role=alert] { padding: 0.75rem; border: 2px solid; border-radius: 0.3rem; font-weight: 600; color: light-dark(#a4161a, #ff9a8f); }
.hint { font-size: 0.9rem; }
`;
const STYLE_SOURCE = `'sha256-${hash("sha256", STYLE, "base64")}'`;

/**
 * A whole page with an inline style sheet, which styles `role="alert"`, labels with `small` hints around their
 * inputs, `button.main` and `a.button` for the primary action, and `label.radio`.
 */
export function page(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
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
 * Headers of a page: only its own style is loaded or executed. `formTargets` are the allowed targets of its form,
 * beside our own origin, `*` for any; `frames` are the origins that may embed it.
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
    // With `no-referrer`, as on other responses, browsers would omit the form's origin.
    "referrer-policy": "same-origin",
  };
}
