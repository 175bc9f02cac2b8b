import { AdminError } from "../http/fields.ts";
import type { Request } from "./phone.ts";

/** JSON of an emulator, read by the fields that its page in the documentation names. */
export type Json = Readonly<Record<string, unknown>>;

/** Asks the admin API of one emulator, wherever that runs. Throws the `AdminError` that it answers with. */
export class Admin {
  readonly #base: () => string;

  constructor(base: () => string) {
    this.#base = base;
  }

  async ask([route, body]: Request, signal?: AbortSignal): Promise<Json> {
    const [method = "GET", path = ""] = route.split(" ");
    const answer = await fetch(this.#base() + path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    const json = (await answer.json()) as Json;
    if (answer.ok) return json;
    throw new AdminError(answer.status, text(json["error"]), text(json["description"]));
  }

  /** The `items` of a list. */
  async list(path: string): Promise<readonly Json[]> {
    return list((await this.ask([`GET ${path}`]))["items"]);
  }
}

/** A list of objects; empty where there is none. */
export function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(json) : [];
}

/** An object; empty where there is none. */
export function json(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** Numbers too, as decimal text; empty where there is nothing. */
export function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** NaN where there is none. */
export function number(value: unknown): number {
  return typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
}

/** A part of a path. */
export function part(value: string): string {
  return encodeURIComponent(value);
}
