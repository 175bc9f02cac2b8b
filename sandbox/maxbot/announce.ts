import type { DeliveryRules } from "../callback/queue.ts";
import type { Bot, Subscription } from "./bot.ts";
import type { Update } from "./update.ts";
import type { World } from "./world.ts";

/** After so long without a success the bot is unsubscribed, and nothing is repeated that is older. */
const patienceSeconds = 8 * 60 * 60;
const repetitions = 10;

/** https://dev.max.ru/docs-api/methods/POST/subscriptions: 60 s, 150 s, 375 s, … */
export function deliveryRules(world: World): DeliveryRules {
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

/** Gives an update to the bot: to its subscriptions, or, without any, to the next poll. Answers how many are told. */
export function announce(world: World, bot: Bot, update: Update, lane: number): number {
  dropDeadOf(world, bot);
  world.changed();
  if (bot.subscriptions.size === 0) {
    bot.updates.push(update);
    return 0;
  }
  const wanting = [...bot.subscriptions.values()].filter(
    ({ updateTypes }) => updateTypes?.includes(update.update_type) ?? true,
  );
  for (const subscription of wanting) {
    world.callbacks.add({
      owner: String(bot.id),
      url: subscription.url,
      lane: String(lane),
      event: update.update_type,
      text: JSON.stringify(update),
      headers: secretHeader(subscription),
    });
  }
  return wanting.length;
}

/** Unsubscribes every address that has failed for eight hours. */
export function dropDeadOf(world: World, bot: Bot): void {
  for (const subscription of [...bot.subscriptions.values()]) dropDead(world, bot, subscription);
}

function dropDead(world: World, bot: Bot, { url, failingSinceMs }: Subscription): void {
  if (failingSinceMs === undefined) return;
  if (world.clock.nowMs() - failingSinceMs < patienceSeconds * 1000) return;
  bot.subscriptions.delete(url);
  world.callbacks.drop(String(bot.id), url);
  world.changed();
}

function secretHeader({ secret }: Subscription): Record<string, string> {
  return secret === undefined ? {} : { "X-Max-Bot-Api-Secret": secret };
}
