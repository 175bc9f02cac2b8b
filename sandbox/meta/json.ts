/**
 * JSON as Meta writes it: slashes and everything beyond ASCII are escaped, in lower case. Signatures are made
 * over these very bytes, so whoever parses and writes a body again gets another signature:
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
