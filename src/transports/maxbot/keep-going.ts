import { setTimeout as delay } from "node:timers/promises";
import { backOffMs } from "../../platform/back-off.ts";
import { assess, type Bot, describe } from "./bot.ts";

/**
 * Repeats a round until it says that it is done, the token is dead or the channel closes. Pauses after failures,
 * longer each time. Never rejects.
 */
export async function keepGoing(bot: Bot, round: () => Promise<"again" | "done">): Promise<void> {
  const { firstPauseMs: firstMs, maxPauseMs: longestMs } = bot.timing;
  let failures = 0;
  while (!bot.signal.aborted) {
    try {
      if ((await round()) === "done") return;
      failures = 0;
    } catch (error) {
      if (bot.signal.aborted) return;
      const verdict = await judge(error, bot);
      if (verdict === "stop") return;
      await pause(verdict ?? backOffMs(++failures, { firstMs, longestMs }), bot.signal);
    }
  }
}

async function judge(error: unknown, bot: Bot): Promise<number | undefined | "stop"> {
  try {
    return await assess(error, bot);
  } catch (failure) {
    bot.link.log("warn", "MAX: the state of the link was not stored", {
      detail: describe(failure, bot.client),
    });
    return undefined;
  }
}

/** Ends early, without failing, when the channel closes. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
