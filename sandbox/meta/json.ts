/**
 * JSON in Meta's format: slashes and all non-ASCII characters are escaped, in lower case. Signatures are computed
 * over these exact bytes, so re-serializing a body changes its signature:
 * https://developers.facebook.com/docs/graph-api/webhooks/getting-started#validating-payloads
 */
export function metaJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("/", "\\/")
    .replace(/[\u007f-\uffff]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
