import { BodyTooLarge, type Exchange, readBody } from "../http/exchange.ts";
import { type FieldErrors, StrictFields } from "../http/strict-fields.ts";
import type { Account } from "./account.ts";
import { apiError, invalidField, notFound, unknownField } from "./api-error.ts";
import type { Chat } from "./chat.ts";
import type { Scope } from "./token-store.ts";
import type { World } from "./world.ts";

const maxBodyBytes = 1024 * 1024;

/** A call of the API, with its token already checked. */
export interface ApiCall {
  readonly world: World;
  readonly account: Account;
  readonly clientId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** The parsed body; undefined when there is none. */
  readonly body: unknown;
  readonly exchange: Exchange;
}

/** Serves one call. Resolves with the JSON of the response; undefined: no body. */
export interface ApiHandler {
  readonly scope: Scope;
  /** The handler reads the body itself. */
  readonly readsBody?: boolean;
  readonly run: (call: ApiCall) => unknown;
}

export const fieldErrors: FieldErrors = {
  unknown: unknownField,
  missing: (name) => invalidField(name, "required"),
  wrongType: (name, expected) => invalidField(name, `${expected} expected`),
};

/** The parameters of the query; some may be repeated. */
export class Query {
  readonly #values: URLSearchParams;

  constructor(encoded: string) {
    this.#values = new URLSearchParams(encoded);
  }

  /** Refuses parameters that the call does not have. */
  only(known: readonly string[]): this {
    const unknown = [...this.#values.keys()].find((name) => !known.includes(name));
    if (unknown !== undefined) throw unknownField(unknown);
    return this;
  }

  /** All values of a parameter, including those separated by commas. */
  list(name: string): string[] | undefined {
    const values = this.#values.getAll(name).flatMap((value) => value.split(","));
    return values.length > 0 ? values : undefined;
  }

  flag(name: string): boolean {
    const value = this.#values.get(name) ?? "false";
    if (value === "true" || value === "false") return value === "true";
    throw fieldErrors.wrongType(name, "a boolean");
  }

  between(name: string, lowest: number, highest: number, usual: number): number {
    const text = this.#values.get(name);
    if (text === null) return usual;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= lowest && value <= highest) return value;
    throw invalidField(name, `must be between ${lowest} and ${highest}`);
  }
}

/** The body of a call, whose fields must be among the known ones. */
export function bodyOf({ body }: ApiCall, known: readonly string[]): StrictFields {
  return new StrictFields(body ?? {}, known, fieldErrors);
}

/** The chat of the path; chats of other accounts do not exist. */
export function chatOf({ world, account, params }: ApiCall): Chat {
  const chat = world.chats.get(params["chat_id"] ?? "");
  if (chat?.account !== account) throw notFound();
  return chat;
}

/** Reads a JSON body. */
export async function readJson({ request }: Exchange): Promise<unknown> {
  const bytes = await readBody(request, maxBodyBytes).catch((error: unknown) => {
    throw error instanceof BodyTooLarge ? apiError(413, "Request entity too large") : error;
  });
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw apiError(400, "Bad request");
  }
}
