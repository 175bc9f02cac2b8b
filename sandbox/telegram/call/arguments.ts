import { isRecord } from "../../http/fields.ts";
import type { Upload } from "../../http/multipart.ts";
import { badRequest } from "./api-error.ts";

/**
 * The parameters of a call from any source. In a query or a form everything is text, and objects are JSON text; a
 * JSON body contains plain objects. Both are read alike: https://core.telegram.org/bots/api#making-requests
 */
export class Arguments {
  readonly values: Readonly<Record<string, unknown>>;
  readonly uploads: ReadonlyMap<string, Upload>;

  constructor(values: Readonly<Record<string, unknown>>, uploads: ReadonlyMap<string, Upload> = new Map()) {
    this.values = values;
    this.uploads = uploads;
  }

  /** The parameter as text; empty if absent, which the platform does not distinguish. */
  text(name: string): string {
    const value = this.values[name];
    if (typeof value === "string") return value;
    if (value === undefined || value === null) return "";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  }

  /** An integer within the limits; the default if it is absent or not a number. */
  integer(
    name: string,
    fallback: number,
    min = -Number.MAX_SAFE_INTEGER,
    max = Number.MAX_SAFE_INTEGER,
  ): number {
    const value = this.values[name];
    const parsed = typeof value === "number" ? value : Number.parseInt(this.text(name), 10);
    return Number.isFinite(parsed) ? Math.min(max, Math.max(min, Math.trunc(parsed))) : fallback;
  }

  decimal(name: string): number | undefined {
    const parsed = Number.parseFloat(this.text(name));
    return Number.isFinite(parsed) ? parsed : undefined;
  }

  flag(name: string): boolean {
    const text = this.text(name).trim().toLowerCase();
    return text === "true" || text === "yes" || text === "1";
  }

  /** An object or array; undefined if absent. `what` names it in the error for invalid JSON. */
  json(name: string, what = name.replaceAll("_", " ")): unknown {
    const value = this.values[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value);
    } catch {
      throw badRequest(`can't parse ${what} JSON object`);
    }
  }

  list(name: string, what?: string): readonly unknown[] | undefined {
    const value = this.json(name, what);
    if (value === undefined || Array.isArray(value)) return value;
    throw badRequest(`expected an Array as ${name.replaceAll("_", " ")}`);
  }

  object(name: string, what?: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.json(name, what);
    if (value === undefined || isRecord(value)) return value;
    throw badRequest(`object expected as ${(what ?? name).replaceAll("_", " ")}`);
  }

  /** For the record of a bot's call: parameters, with uploads as their names and sizes. */
  describe(): Readonly<Record<string, unknown>> {
    if (this.uploads.size === 0) return this.values;
    const files = [...this.uploads].map(([name, upload]) => [
      name,
      { file_name: upload.name, size: upload.size, mime_type: upload.mime },
    ]);
    return { ...this.values, ...Object.fromEntries(files) };
  }
}
