const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+( *; *[\w.+-]+=([\w.+-]+|"[ !#-[\]-~]*"))*$/;
const OPAQUE = "application/octet-stream";

/** What browsers show without running anything of it. Not PDF: viewers run its scripts. */
const SHOWN_BY_BROWSERS = /^(image|audio|video)\//;

/**
 * What a browser runs when a page of another site refers to it, or a person opens it: documents, scripts (as in
 * https://mimesniff.spec.whatwg.org/#javascript-mime-type), style sheets, programs, archives of pages, and multipart
 * bodies, whose parts may be documents. As scripts and style sheets they pass `nosniff`.
 */
const ACTIVE = [
  /\+xml$|\/(xml|x?html|svg|xslt?|x-server-parsed-html)/,
  /\/(x-)?(java|ecma|live|j)script/,
  /^text\/(css|cache-manifest|x-component|x-scriptlet)$/,
  /^application\/(wasm|hta|webbundle|signed-exchange|x-mimearchive|x-shockwave-flash|(x-)?java-.*)$/,
  /^(multipart|message)\//,
];

/**
 * A type as a header may carry it; people's phones send all kinds of things. What a browser could run is
 * `application/octet-stream`: files come from strangers and are served under the service's own address. Parameters stay.
 */
export function safeMimeType(mimeType: string): string {
  if (!MIME_TYPE.test(mimeType)) return OPAQUE;
  const [essence = ""] = mimeType.toLowerCase().split(";");
  return ACTIVE.some((kind) => kind.test(essence.trim())) ? OPAQUE : mimeType;
}

/** Only what cannot run scripts is shown in place; everything else is for saving. */
export function contentDisposition(mimeType: string, name: string | null): string {
  const isShown = SHOWN_BY_BROWSERS.test(safeMimeType(mimeType).toLowerCase());
  const place = isShown ? "inline" : "attachment";
  if (name === null || name === "") return place;
  const ascii = name.replace(/[^\x20-\x7e]|["\\%/;]/g, "_");
  return `${place}; filename="${ascii}"; filename*=UTF-8''${encodeRfc5987(name)}`;
}

function encodeRfc5987(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
