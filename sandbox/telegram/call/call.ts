import type { Bot } from "../bot.ts";
import type { World } from "../world.ts";
import type { Arguments } from "./arguments.ts";

/** One call of a bot. */
export interface Call {
  readonly world: World;
  readonly bot: Bot;
  /** In the documentation's spelling. */
  readonly method: string;
  readonly args: Arguments;
  /** Aborted when the caller disconnects or the emulator ends. */
  readonly signal: AbortSignal;
}

/** A result with a description, as `setWebhook` returns it. */
export class Remarked {
  readonly result: unknown;
  readonly description: string;

  constructor(result: unknown, description: string) {
    this.result = result;
    this.description = description;
  }
}

/** Performs the method and returns its `result`, or throws an `ApiError`. */
export type Method = (call: Call) => unknown;

/** A method with the documentation's name. */
export interface NamedMethod {
  readonly name: string;
  readonly run: Method;
}
