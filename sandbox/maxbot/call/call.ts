import { BodyTooLarge, type Exchange, readBody } from "../../http/exchange.ts";
import { type FieldErrors, StrictFields } from "../../http/strict-fields.ts";
import type { Bot } from "../bot.ts";
import type { World } from "../world.ts";
import { apiError, badPayload, unknownField } from "./api-error.ts";

const maxBodyBytes = 4 * 1024 * 1024;

/** A call of the API, with its token already checked. */
export interface ApiCall {
  readonly world: World;
  readonly bot: Bot;
  readonly method: string;
  /** The pattern of the path, for example `/chats/{chatId}`. */
  readonly pattern: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** The parsed body; undefined if there is none. */
  readonly body: unknown;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Serves one call: resolves with the JSON of the response. */
export type ApiHandler = (call: ApiCall) => unknown;

export const fieldErrors: FieldErrors = {
  unknown: unknownField,
  missing: (name) => badPayload(`Field '${name}' cannot be null`),
  wrongType: (name, expected) => badPayload(`Invalid value of '${name}': ${expected} expected`),
};

/** The parameters of the query, as text. */
export class Query {
  readonly values: Readonly<Record<string, string>>;

  constructor(encoded: string) {
    this.values = Object.fromEntries(new URLSearchParams(encoded));
  }

  /** Refuses parameters that the call does not have. `v`, the API version, is always allowed. */
  only(known: readonly string[]): this {
    const unknown = Object.keys(this.values).find((name) => name !== "v" && !known.includes(name));
    if (unknown !== undefined) throw unknownField(unknown);
    return this;
  }

  text(name: string): string | undefined {
    return this.values[name];
  }

  needText(name: string): string {
    const value = this.values[name];
    if (value === undefined || value.trim() === "") throw fieldErrors.missing(name);
    return value;
  }

  integer(name: string): number | undefined {
    const value = this.values[name];
    if (value === undefined) return undefined;
    const number = Number(value);
    if (/^-?\d+$/.test(value) && Number.isSafeInteger(number)) return number;
    throw fieldErrors.wrongType(name, "an integer");
  }

  between(name: string, lowest: number, highest: number): number | undefined {
    const value = this.integer(name);
    if (value === undefined || (value >= lowest && value <= highest)) return value;
    throw badPayload(`${name}: must be between ${lowest} and ${highest}`);
  }
}

/** The body of a call, whose fields must be among the known ones. */
export function bodyOf({ body }: ApiCall, known: readonly string[]): StrictFields {
  return new StrictFields(body ?? {}, known, fieldErrors);
}

/** Reads a JSON body. */
export async function readJson({ request }: Exchange): Promise<unknown> {
  const bytes = await readBody(request, maxBodyBytes).catch((error: unknown) => {
    throw error instanceof BodyTooLarge ? apiError(413, "proto.payload", "Request is too large") : error;
  });
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw badPayload("Malformed JSON");
  }
}
