/** Readers for what comes from outside: whatever is not there, or of another kind, is undefined. */
export type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectIn(from: unknown, key: string): Json | undefined {
  const value = isJson(from) ? from[key] : undefined;
  return isJson(value) ? value : undefined;
}

/** The objects of a list; everything else in it is left out. */
export function objectsIn(from: unknown, key: string): Json[] {
  const value = isJson(from) ? from[key] : undefined;
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** A non-empty text; a number counts as its digits, since ids come as either. */
export function textIn(from: unknown, key: string): string | undefined {
  const value = isJson(from) ? from[key] : undefined;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberIn(from: unknown, key: string): number | undefined {
  const value = Number(textIn(from, key));
  return Number.isFinite(value) ? value : undefined;
}

/** Something without which nothing can be told is missing, or is not what it should be. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/** The value, or `Unreadable` with a sentence that names what is missing. */
export function needed<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new Unreadable(`there is no ${what}`);
  return value;
}

/** A list's items, whatever they are; nothing where there is no list. Throws `Unreadable` for what is no list. */
export function itemsIn(from: unknown, key: string): readonly unknown[] {
  const value = (isJson(from) ? from[key] : undefined) ?? [];
  if (!Array.isArray(value)) throw new Unreadable(`${key} is not a list`);
  return value;
}

/** The JSON of a call; the text itself where it is none, so that a dead letter can show it. */
export function parseOrText(body: Uint8Array): unknown {
  const words = new TextDecoder().decode(body);
  const json = parsed(words);
  return json === undefined ? words : json;
}

/** Undefined for what is no JSON. */
export function parsed(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return undefined;
  }
}
