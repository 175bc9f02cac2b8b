/** An error of the admin API's caller: reported as `{error, description}`. */
export class AdminError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, description: string) {
    super(description);
    this.status = status;
    this.code = code;
  }
}

/** 404 with the name of the missing object, for example `missing("user", 111)`. */
export function missing(what: string, id: string | number): AdminError {
  return new AdminError(404, "not_found", `there is no ${what} ${id}`);
}

/** 400 with the field's name and the expected value. */
export function invalid(field: string, expected: string): AdminError {
  return new AdminError(400, "invalid_field", `${field} must be ${expected}`);
}

/** Reads the fields of an admin request's body or query, with clear errors. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
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
    throw invalid(name, "a string");
  }

  needText(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === "") throw invalid(name, "a non-empty string");
    return value;
  }

  /** A number, or decimal text (the only form in queries and paths). */
  number(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const parsed = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof parsed === "number" && Number.isFinite(parsed)) return parsed;
    throw invalid(name, "a number");
  }

  integer(name: string): number | undefined {
    const value = this.number(name);
    if (value === undefined || Number.isSafeInteger(value)) return value;
    throw invalid(name, "an integer");
  }

  needInteger(name: string): number {
    const value = this.integer(name);
    if (value === undefined) throw invalid(name, "an integer");
    return value;
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "boolean") return value;
    if (value === "true" || value === "1") return true;
    if (value === "false" || value === "0") return false;
    throw invalid(name, "true or false");
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.raw(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw invalid(name, "an array");
  }

  object(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.raw(name);
    if (value === undefined || isRecord(value)) return value;
    throw invalid(name, "an object");
  }

  nested(name: string): Fields | undefined {
    const value = this.object(name);
    return value && new Fields(value);
  }
}

/** Whether a parsed JSON value is an object (not null, not an array). */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
