import { StrictFields } from "../http/strict-fields.ts";
import type { Bot } from "./bot.ts";
import { fieldErrors } from "./status.ts";
import type { World } from "./world.ts";

/** A call of the API, with its token already checked. */
export interface ApiCall {
  readonly world: World;
  readonly bot: Bot;
  readonly method: string;
  /** The fields of the body, without `auth_token`. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Serves one call: resolves with the fields of the response besides `status`. */
export type ApiHandler = (call: ApiCall) => unknown;

/** The body of a call, whose fields must be among the known ones. */
export function bodyOf({ body }: ApiCall, known: readonly string[]): StrictFields {
  return new StrictFields(body, known, fieldErrors);
}
