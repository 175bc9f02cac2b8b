import { isRecord } from "../http/fields.ts";
import type { Subscription } from "./bot.ts";
import type { Chat, User } from "./chat/chat.ts";
import type { Media } from "./media/media-registry.ts";
import type { World } from "./world.ts";

interface SavedBot {
  readonly id: number;
  readonly token: string;
  readonly username: string;
  readonly name: string;
  readonly description: string | null;
  readonly nextUpdate: number;
  readonly subscriptions: readonly Subscription[];
}

interface SavedChat {
  readonly chatId: number;
  readonly type: Chat["type"];
  readonly title: string | null;
  readonly suspended: boolean;
  readonly userIds: readonly number[];
  readonly botIds: readonly number[];
}

interface SavedWorld {
  readonly version: 1;
  readonly bots: readonly SavedBot[];
  readonly users: readonly User[];
  readonly chats: readonly SavedChat[];
  readonly media: readonly Media[];
}

/** Bots, people, chats and files; messages, updates and undelivered callbacks are not kept. */
export function saveWorld(world: World): SavedWorld {
  return {
    version: 1,
    bots: [...world.bots.values()].map(
      ({ id, token, username, name, description, updates, subscriptions }) => ({
        id,
        token,
        username,
        name,
        description,
        nextUpdate: updates.next,
        subscriptions: [...subscriptions.values()],
      }),
    ),
    users: [...world.users.values()],
    chats: [...world.chats.values()].map(({ chatId, type, title, suspended, users, bots }) => ({
      chatId,
      type,
      title,
      suspended,
      userIds: [...users.keys()],
      botIds: [...bots.keys()],
    })),
    media: world.media.save(),
  };
}

/** Restores a saved state into an empty world; other formats are ignored. */
export function restoreWorld(world: World, saved: unknown): void {
  if (!isSaved(saved)) return;
  for (const { subscriptions, ...setup } of saved.bots) {
    const bot = world.addBot(setup);
    for (const each of subscriptions) {
      // JSON has no undefined fields.
      bot.subscriptions.set(each.url, { ...each, secret: each.secret, failingSinceMs: each.failingSinceMs });
    }
  }
  for (const user of saved.users) world.putUser(user);
  for (const chat of saved.chats) restoreChat(world, chat);
  for (const media of saved.media) world.media.restore({ ...media, botId: media.botId });
}

function restoreChat(world: World, saved: SavedChat): void {
  const [userId] = saved.userIds;
  const [botId] = saved.botIds;
  const isDialog = saved.type === "dialog" && userId !== undefined && botId !== undefined;
  const chat = isDialog
    ? world.openDialog(world.bot(botId), world.user(userId))
    : world.addGroup({
        chatId: saved.chatId,
        type: saved.type === "channel" ? "channel" : "chat",
        title: saved.title ?? "",
      });
  chat.suspended = saved.suspended;
  for (const id of saved.userIds) chat.users.set(id, world.user(id));
  for (const id of saved.botIds) chat.bots.set(id, world.bot(id));
}

function isSaved(value: unknown): value is SavedWorld {
  return isRecord(value) && value["version"] === 1;
}
