const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+( *; *charset=[\w-]+)?$/;
const SHOWN_BY_BROWSERS = /^(image|audio|video)\/|^application\/pdf$/i;

/** A type as a header may carry it; people's phones send all kinds of things. */
export function safeMimeType(mimeType: string): string {
  return MIME_TYPE.test(mimeType) ? mimeType : "application/octet-stream";
}

/** Only what cannot run scripts is shown in place; everything else is for saving. */
export function contentDisposition(mimeType: string, name: string | null): string {
  const place = SHOWN_BY_BROWSERS.test(mimeType) && !/svg|xml/i.test(mimeType) ? "inline" : "attachment";
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
