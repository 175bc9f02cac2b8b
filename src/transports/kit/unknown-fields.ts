import { isJson } from "./json.ts";

/** The names of the fields that a connector does not know, of an object that it reads. Empty fields do not count. */
export function unknownFields(value: unknown, known: ReadonlySet<string>): string[] {
  if (!isJson(value)) return [];
  return Object.keys(value).filter((name) => !known.has(name) && !isEmpty(value[name]));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false || value === 0) return true;
  return Array.isArray(value) && value.length === 0;
}
