import { isRecord } from "./fields.ts";

/** The platform's errors for invalid fields. */
export interface FieldErrors {
  readonly unknown: (name: string) => Error;
  readonly missing: (name: string) => Error;
  /** `expected`: e.g. `a string`. */
  readonly wrongType: (name: string, expected: string) => Error;
}

/** Reads the fields of a call. Unknown fields are rejected immediately, wrong types when read. */
export class StrictFields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #errors: FieldErrors;
  /** Prefix of the names in errors, for example `payload.`. */
  readonly #path: string;

  constructor(values: unknown, known: readonly string[], errors: FieldErrors, path = "") {
    this.#errors = errors;
    this.#path = path;
    if (!isRecord(values)) throw errors.wrongType(path.replace(/\.$/, "") || "body", "an object");
    this.#values = values;
    const unknown = Object.keys(values).find((name) => !known.includes(name));
    if (unknown !== undefined) throw errors.unknown(path + unknown);
  }

  /** The raw value; undefined if absent or null. */
  raw(name: string): unknown {
    return this.#values[name] ?? undefined;
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "string") return value;
    throw this.#wrong(name, "a string");
  }

  needText(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === "") throw this.missing(name);
    return value;
  }

  number(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
    throw this.#wrong(name, "a number");
  }

  needNumber(name: string): number {
    return this.number(name) ?? this.#fail(name);
  }

  integer(name: string): number | undefined {
    const value = this.number(name);
    if (value === undefined || Number.isSafeInteger(value)) return value;
    throw this.#wrong(name, "an integer");
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.#wrong(name, "a boolean");
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.raw(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw this.#wrong(name, "an array");
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const found = allowed.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    throw this.#wrong(name, `one of ${allowed.join(", ")}`);
  }

  /** A nested object. */
  object(name: string, known: readonly string[]): StrictFields | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    return new StrictFields(value, known, this.#errors, `${this.#path}${name}.`);
  }

  needObject(name: string, known: readonly string[]): StrictFields {
    return this.object(name, known) ?? this.#fail(name);
  }

  missing(name: string): Error {
    return this.#errors.missing(this.#path + name);
  }

  #wrong(name: string, expected: string): Error {
    return this.#errors.wrongType(this.#path + name, expected);
  }

  #fail(name: string): never {
    throw this.missing(name);
  }
}
