import type { CallbackQueue, DeliveryRules } from "../../callback/queue.ts";
import type { Clock } from "../../clock.ts";
import type { Bot, Subscription } from "../bot.ts";

/** After this long without a success, the bot is unsubscribed; older updates are not retried. */
const patienceSeconds = 8 * 60 * 60;
const repetitions = 10;

/** The bots whose updates are delivered, and pending deliveries. */
interface Deliveries {
  readonly bots: ReadonlyMap<number, Bot>;
  readonly clock: Pick<Clock, "nowMs">;
  readonly callbacks: Pick<CallbackQueue, "drop">;
  readonly changed: () => void;
}

/** https://dev.max.ru/docs-api/methods/POST/subscriptions: 60 s, 150 s, 375 s, … */
export function deliveryRules(world: Deliveries): DeliveryRules {
  return {
    pauseSeconds: (attempts) => (attempts > repetitions ? undefined : 60 * 2.5 ** (attempts - 1)),
    lifetimeSeconds: patienceSeconds,
    isSuccess: (status) => status === 200,
    onAttempt: ({ owner, url }, _delivered, failingSinceMs) => {
      const bot = world.bots.get(Number(owner));
      const subscription = bot?.subscriptions.get(url);
      if (!bot || !subscription) return;
      if (failingSinceMs === undefined) subscription.failingSinceMs = undefined;
      else subscription.failingSinceMs ??= failingSinceMs;
      dropDead(world, bot, subscription);
    },
  };
}

export function dropDead(world: Deliveries, bot: Bot, { url, failingSinceMs }: Subscription): void {
  if (failingSinceMs === undefined) return;
  if (world.clock.nowMs() - failingSinceMs < patienceSeconds * 1000) return;
  bot.subscriptions.delete(url);
  world.callbacks.drop(String(bot.id), url);
  world.changed();
}
