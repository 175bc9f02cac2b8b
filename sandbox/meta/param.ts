import { isRecord } from "../http/fields.ts";
import { badParam } from "./graph-error.ts";

/** Length limits of a text, counted in code points. */
export interface TextBounds {
  readonly max?: number;
}

/**
 * An object in a request that knows its path, so that errors read like Meta's: `(#100) Param text['body'] must be at
 * most 4096 characters long.`
 */
export class Param {
  readonly values: Readonly<Record<string, unknown>>;
  readonly #place: string;

  /** `place` is empty for the request itself. */
  constructor(values: Readonly<Record<string, unknown>>, place = "") {
    this.values = values;
    this.#place = place;
  }

  /** `text['body']` */
  placeOf(name: string): string {
    return this.#place === "" ? name : `${this.#place}['${name}']`;
  }

  /** Rejects unknown keys. */
  only(...names: readonly string[]): this {
    const unknown = Object.keys(this.values).find((name) => !names.includes(name));
    if (unknown === undefined) return this;
    throw badParam(`Unexpected key "${unknown}" on param "${this.#place || "message"}".`);
  }

  has(name: string): boolean {
    const value = this.values[name];
    return value !== undefined && value !== null;
  }

  /** The text, undefined if absent. Numbers count as text, because the Graph API also accepts forms. */
  text(name: string, { max = Number.POSITIVE_INFINITY }: TextBounds = {}): string | undefined {
    if (!this.has(name)) return undefined;
    const value = this.values[name];
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string") throw badParam(`Param ${this.placeOf(name)} must be a string.`);
    if (characters(text) > max) {
      throw badParam(`Param ${this.placeOf(name)} must be at most ${max} characters long.`);
    }
    return text;
  }

  needText(name: string, bounds: TextBounds = {}): string {
    const text = this.text(name, bounds);
    if (text === undefined) throw this.#required(name);
    if (text === "") throw badParam(`Param ${this.placeOf(name)} must be a non-empty string.`);
    return text;
  }

  needOneOf<T extends string>(name: string, allowed: readonly T[]): T {
    const text = this.needText(name);
    const found = allowed.find((value) => value === text);
    if (found) return found;
    const names = allowed.map((value) => value.toUpperCase()).join(", ");
    throw badParam(`Param ${this.placeOf(name)} must be one of {${names}} - got "${text}".`);
  }

  flag(name: string): boolean | undefined {
    const value = this.values[name];
    if (value === undefined || value === null || typeof value === "boolean") return value ?? undefined;
    if (value === "true" || value === "1" || value === 1) return true;
    if (value === "false" || value === "0" || value === 0) return false;
    throw badParam(`Param ${this.placeOf(name)} must be a boolean.`);
  }

  needNumber(name: string): number {
    if (!this.has(name)) throw this.#required(name);
    const value = this.values[name];
    const parsed = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof parsed === "number" && Number.isFinite(parsed)) return parsed;
    throw badParam(`Param ${this.placeOf(name)} must be a number.`);
  }

  /**
   * An object or list. At the top level it may be JSON text, as in a form: the Graph API parses all parameters alike.
   */
  structure(name: string): unknown {
    const value = this.values[name];
    if (typeof value !== "string" || this.#place !== "") return value;
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }

  object(name: string): Param | undefined {
    if (!this.has(name)) return undefined;
    const value = this.structure(name);
    if (!isRecord(value)) throw badParam(`Param ${this.placeOf(name)} must be a JSON object.`);
    return new Param(value, this.placeOf(name));
  }

  needObject(name: string): Param {
    const found = this.object(name);
    if (found) return found;
    throw this.#required(name);
  }

  /** A list of objects; undefined if absent. */
  list(name: string): Param[] | undefined {
    if (!this.has(name)) return undefined;
    const value = this.structure(name);
    const place = this.placeOf(name);
    if (!Array.isArray(value)) throw badParam(`Param ${place} must be an array.`);
    return value.map((item: unknown, index) => {
      if (!isRecord(item)) throw badParam(`Param ${place}[${index}] must be a JSON object.`);
      return new Param(item, `${place}[${index}]`);
    });
  }

  needList(name: string): Param[] {
    const found = this.list(name);
    if (found) return found;
    throw this.#required(name);
  }

  #required(name: string) {
    return badParam(`The parameter ${this.placeOf(name)} is required.`);
  }
}

/** The length of a text in code points. */
export function characters(text: string): number {
  return [...text].length;
}
