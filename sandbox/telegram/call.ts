import type { Arguments } from "./arguments.ts";
import type { Bot } from "./bot.ts";
import type { World } from "./world.ts";

/** One call of a bot. */
export interface Call {
  readonly world: World;
  readonly bot: Bot;
  /** As the documentation spells it. */
  readonly method: string;
  readonly args: Arguments;
  /** Aborted when the caller hangs up or the emulator ends. */
  readonly signal: AbortSignal;
}

/** A result with a remark beside it, as `setWebhook` gives. */
export class Remarked {
  readonly result: unknown;
  readonly description: string;

  constructor(result: unknown, description: string) {
    this.result = result;
    this.description = description;
  }
}

/** Does what the method says and returns its `result`, or throws an `ApiError`. */
export type Method = (call: Call) => unknown;

/** A method under the name that the documentation gives it. */
export interface NamedMethod {
  readonly name: string;
  readonly run: Method;
}
