import { AdminError } from "../http/fields.ts";

/** JSON of an emulator, accessed by the documented field names. */
export type Json = Readonly<Record<string, unknown>>;

/** Calls the admin API of one emulator. Throws the `AdminError` of its response. */
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

/** A list of objects; empty if there is none. */
export function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(json) : [];
}

/** An object; empty if there is none. */
export function json(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** Numbers too, as decimal text; empty if absent. */
export function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** NaN if there is none. */
export function number(value: unknown): number {
  return typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
}

/** A part of a path. */
export function part(value: string): string {
  return encodeURIComponent(value);
}

/** A request to an emulator's admin API, for example `["POST /people/1/reads", {chat: "2"}]`. */
export type Request = readonly [route: string, body?: object];
