import { parseBounded } from "../../platform/foreign/bounded-json.ts";

/** Readers for untrusted JSON. A field that is missing or of another type reads as undefined. */
export type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectIn(from: unknown, key: string): Json | undefined {
  const value = isJson(from) ? from[key] : undefined;
  return isJson(value) ? value : undefined;
}

/** The objects in a list; other items are skipped. */
export function objectsIn(from: unknown, key: string): Json[] {
  const value = isJson(from) ? from[key] : undefined;
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** A non-empty string. A number becomes its decimal digits, because ids arrive as either. */
export function textIn(from: unknown, key: string): string | undefined {
  const value = isJson(from) ? from[key] : undefined;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberIn(from: unknown, key: string): number | undefined {
  const value = Number(textIn(from, key));
  return Number.isFinite(value) ? value : undefined;
}

/** A required field is missing or has the wrong type, so the payload cannot be interpreted. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/** Returns the value, or throws `Unreadable` with a message that names the missing field. */
export function required<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new Unreadable(`${what} is missing`);
  return value;
}

/** The items of a list, unchecked; an empty list if the field is absent. Throws `Unreadable` if it is not a list. */
export function itemsIn(from: unknown, key: string): readonly unknown[] {
  const value = (isJson(from) ? from[key] : undefined) ?? [];
  if (!Array.isArray(value)) throw new Unreadable(`${key} is not a list`);
  return value;
}

/** The largest number of values in a JSON text beside the calls, such as the payload of a button. */
const MAX_VALUES = 100_000;

/** Undefined if the text is not JSON, or is nested too deeply or too large (`parseBounded`). */
export function parsed(text: string): unknown {
  try {
    return parseBounded(text, MAX_VALUES);
  } catch {
    return undefined;
  }
}
