import { createHmac } from "node:crypto";
import { avatarUrl } from "../avatar.ts";
import type { Callback } from "../callback/queue.ts";
import { rawNumber } from "../http/raw-number.ts";
import { Novelty } from "../trouble/novelty.ts";
import type { Bot, Conversation, EventType, StoredMessage, User } from "./bot.ts";
import { mandatoryEvents } from "./bot.ts";
import { chatHostname } from "./status.ts";
import type { World } from "./world.ts";

/** A signed callback for a bot's webhook, or for a webhook that is being set. */
export function signedCallback(
  world: World,
  bot: Bot,
  event: { readonly url: string; readonly type: string; readonly orderingKey: string; readonly body: object },
): Callback {
  const text = JSON.stringify(event.body);
  const signature = createHmac("sha256", bot.token).update(text).digest("hex");
  const url = new URL(event.url);
  if (world.settings.sigParameter) url.searchParams.set("sig", signature);
  return {
    owner: bot.id,
    url: url.href,
    orderingKey: event.orderingKey,
    event: event.type,
    text,
    headers: { "X-Viber-Content-Signature": signature },
  };
}

/** Reports an event to the bot, if its webhook is subscribed to it. Returns whether it is. */
export function announce(
  world: World,
  bot: Bot,
  event: {
    readonly type: EventType;
    readonly token: string;
    readonly conversation: Conversation;
    readonly more: Readonly<Record<string, unknown>>;
    readonly onSuccess?: (answer: string) => void;
  },
): boolean {
  const { webhook } = bot;
  const { type, token, conversation, more, onSuccess } = event;
  if (!webhook || !(webhook.events.has(type) || mandatoryEvents.includes(type))) return false;
  const novelty = new Novelty(world.settings.novelty, world.reports++);
  const body = {
    event: type,
    timestamp: world.clock.nowMs(),
    chat_hostname: chatHostname,
    message_token: rawNumber(token),
    ...novelty.sprinkled(more),
  };
  const common = { url: webhook.url, type, orderingKey: conversation.viberId };
  world.callbacks.add({
    ...signedCallback(world, bot, { ...common, body }),
    ...(onSuccess && { onSuccess }),
  });
  if (novelty.happens()) {
    const news = { ...body, ...more, event: `new_event_${novelty.number()}` };
    world.callbacks.add(signedCallback(world, bot, { ...common, type: news.event, body: news }));
  }
  return true;
}

/** Receipts of a message: delivered (once per device), seen, failed. */
export function announceReceipt(
  world: World,
  bot: Bot,
  conversation: Conversation,
  receipt: {
    readonly message: StoredMessage;
    readonly type: "delivered" | "seen" | "failed";
    readonly desc?: string;
  },
): boolean {
  const { message, type, desc } = receipt;
  message.events.push(type);
  const more = { user_id: conversation.viberId, ...(desc !== undefined && { desc }) };
  return announce(world, bot, { type, token: message.token, conversation, more });
}

/** A person as bots see them. A person who hides the profile is a `Subscriber` without a picture. */
export function userShape(world: World, { user, viberId }: Conversation): Readonly<Record<string, unknown>> {
  return {
    id: viberId,
    name: nameOf(user),
    ...(!user.hidesProfile && {
      avatar: avatarUrl(world.url(), user.id),
    }),
    country: user.country,
    language: user.language,
    api_version: user.apiVersion,
  };
}

function nameOf(user: User): string {
  return user.hidesProfile ? "Subscriber" : user.name;
}
