import { Novelty } from "../../trouble/novelty.ts";
import type { Bot, Subscription } from "../bot.ts";
import type { World } from "../world.ts";
import { dropDead } from "./delivery-rules.ts";
import type { Update } from "./update.ts";

/** Sends an update to the bot's subscriptions, or, without any, to its next poll. Returns the number of receivers. */
export function announce(world: World, bot: Bot, known: Update, orderingKey: number): number {
  const update = withNovelty(world, known);
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
      orderingKey: String(orderingKey),
      event: update.update_type,
      text: JSON.stringify(update),
      headers: secretHeader(subscription),
    });
  }
  return wanting.length;
}

function withNovelty(world: World, update: Update): Update {
  const novelty = new Novelty(world.settings.novelty, world.reports++);
  // Numbers that JSON writes as they are would be taken for objects.
  return world.settings.novelty === 0 ? update : novelty.sprinkled(JSON.parse(JSON.stringify(update)));
}

/** Unsubscribes every address that has failed for eight hours. */
export function dropDeadOf(world: World, bot: Bot): void {
  for (const subscription of [...bot.subscriptions.values()]) dropDead(world, bot, subscription);
}

function secretHeader({ secret }: Subscription): Record<string, string> {
  return secret === undefined ? {} : { "X-Max-Bot-Api-Secret": secret };
}
