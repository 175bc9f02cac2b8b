import type { TransportEvent } from "./events.ts";

/** The event as JSON text; dates become `{"$date": ISO 8601}`, an invalid date `{"$date": null}`. */
export function encodeEvent(event: TransportEvent): string {
  return JSON.stringify(event, function (this: Readonly<Record<string, unknown>>, key, value: unknown) {
    // `Date.toJSON` has already converted `value`; `this` still has the date.
    const original = this[key];
    return original instanceof Date ? { $date: value } : value;
  });
}

/** The inverse of `encodeEvent`. The caller checks the shape. */
export function decodeEvent(json: string): unknown {
  return JSON.parse(json, (_key, value: unknown) => (isDate(value) ? new Date(value.$date) : value));
}

function isDate(value: unknown): value is { readonly $date: string } {
  if (typeof value !== "object" || value === null || !("$date" in value)) return false;
  return typeof value.$date === "string" && Object.keys(value).length === 1;
}
