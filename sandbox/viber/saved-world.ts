import { isRecord } from "../http/fields.ts";
import type { EventType, User } from "./bot.ts";
import type { World } from "./world.ts";

interface SavedConversation {
  readonly userId: string;
  readonly subscribed: boolean;
  readonly lastInboundMs: number | null;
}

interface SavedBot {
  readonly id: string;
  readonly token: string;
  readonly name: string;
  readonly uri: string;
  readonly state: number;
  readonly webhook: { readonly url: string; readonly events: readonly EventType[] } | null;
  readonly conversations: readonly SavedConversation[];
}

interface SavedWorld {
  readonly version: 1;
  readonly bots: readonly SavedBot[];
  readonly users: readonly User[];
}

/** Bots, people and who is subscribed; messages, files and undelivered callbacks are not kept. */
export function saveWorld(world: World): SavedWorld {
  return {
    version: 1,
    bots: [...world.bots.values()].map(({ id, token, name, uri, state, webhook, conversations }) => ({
      id,
      token,
      name,
      uri,
      state,
      webhook: webhook ? { url: webhook.url, events: [...webhook.events] } : null,
      // Minus infinity (never) is null in JSON.
      conversations: [...conversations].map(([userId, { subscribed, lastInboundMs }]) => ({
        userId,
        subscribed,
        lastInboundMs: Number.isFinite(lastInboundMs) ? lastInboundMs : null,
      })),
    })),
    users: [...world.users.values()],
  };
}

/** Restores a saved state into an empty world; other formats are ignored. */
export function restoreWorld(world: World, saved: unknown): void {
  if (!isSaved(saved)) return;
  for (const user of saved.users) world.putUser(user);
  for (const { state, webhook, conversations, ...setup } of saved.bots) {
    const bot = world.addBot(setup);
    bot.state = state;
    bot.webhook = webhook ? { url: webhook.url, events: new Set(webhook.events) } : undefined;
    for (const { userId, subscribed, lastInboundMs } of conversations) {
      const conversation = world.conversation(bot, world.user(userId));
      conversation.subscribed = subscribed;
      conversation.lastInboundMs = lastInboundMs ?? Number.NEGATIVE_INFINITY;
    }
  }
}

function isSaved(value: unknown): value is SavedWorld {
  return isRecord(value) && value["version"] === 1;
}
