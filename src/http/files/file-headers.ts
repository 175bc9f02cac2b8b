const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+( *; *[\w.+-]+=([\w.+-]+|"[ !#-[\]-~]*"))*$/;
const OPAQUE = "application/octet-stream";

/** Types that browsers display without executing anything. Not PDF: viewers execute its scripts. */
const SHOWN_BY_BROWSERS = /^(image|audio|video)\//;

/**
 * Types that a browser executes if a page of another site references the file, or a person opens it: documents,
 * scripts (as in https://mimesniff.spec.whatwg.org/#javascript-mime-type), style sheets, programs, page archives, and
 * multipart bodies, whose parts may be documents. Scripts and style sheets pass `nosniff`.
 */
const ACTIVE = [
  /\+xml$|\/(xml|x?html|svg|xslt?|x-server-parsed-html)/,
  /\/(x-)?(java|ecma|live|j)script/,
  /^text\/(css|cache-manifest|x-component|x-scriptlet)$/,
  /^application\/(wasm|hta|webbundle|signed-exchange|x-mimearchive|x-shockwave-flash|(x-)?java-.*)$/,
  /^(multipart|message)\//,
];

/**
 * A type that is safe in a header. What a browser could execute becomes `application/octet-stream`: files come from
 * strangers and are served from the service's own origin. Parameters are kept.
 */
export function safeMimeType(mimeType: string): string {
  if (!MIME_TYPE.test(mimeType)) return OPAQUE;
  const [essence = ""] = mimeType.toLowerCase().split(";");
  return ACTIVE.some((kind) => kind.test(essence.trim())) ? OPAQUE : mimeType;
}

/** Only content that cannot execute scripts is displayed inline; everything else is downloaded. */
export function contentDisposition(mimeType: string, name: string | null): string {
  const isShown = SHOWN_BY_BROWSERS.test(safeMimeType(mimeType).toLowerCase());
  const disposition = isShown ? "inline" : "attachment";
  if (name === null || name === "") return disposition;
  const ascii = name.replace(/[^\x20-\x7e]|["\\%/;]/g, "_");
  return `${disposition}; filename="${ascii}"; filename*=UTF-8''${encodeRfc5987(name)}`;
}

function encodeRfc5987(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
