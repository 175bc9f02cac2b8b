import { isRecord } from "../http/fields.ts";
import type { Bot, WebhookConfig } from "./bot.ts";
import { type Chat, GroupChat, type Membership, PrivateChat, type Topic } from "./chat/chat.ts";
import type { StoredFile } from "./file/file-registry.ts";
import type { ChatShape, UpdateBody, User } from "./shape.ts";
import type { World } from "./world.ts";

/**
 * After a crash the file may be a second old. Ids issued since then must not be issued again, so numbering continues
 * with a gap, as it may on the platform.
 */
const idGap = 1000;
const savedUpdates = 1000;

interface SavedChat {
  readonly id: number;
  readonly lastMessageId: number;
  readonly blocked: boolean;
}

interface SavedBot {
  readonly token: string;
  readonly user: User;
  readonly readsAll: boolean;
  readonly lastUpdateId: number;
  readonly webhook?: WebhookConfig;
  readonly allowedUpdates?: readonly string[];
  readonly chats: readonly SavedChat[];
  readonly pending: readonly { readonly orderingKey: string; readonly body: UpdateBody }[];
}

interface SavedGroup {
  readonly shape: ChatShape;
  readonly lastMessageId: number;
  readonly users: readonly User[];
  readonly bots: readonly (readonly [number, Membership])[];
  readonly administrators?: readonly number[];
  readonly upgradedTo?: number;
  readonly topics?: readonly (readonly [number, Topic])[];
}

interface SavedWorld {
  readonly version: 1;
  readonly users: readonly User[];
  readonly groups: readonly SavedGroup[];
  readonly bots: readonly SavedBot[];
  readonly files: readonly StoredFile[];
}

/** Bots, users, chats, files and pending updates; messages are not kept. */
export function saveWorld(world: World): SavedWorld {
  return {
    version: 1,
    users: [...world.users.values()],
    groups: [...world.groups.values()].map(saveGroup),
    bots: [...world.bots.values()].map(saveBot),
    files: world.files.save(),
  };
}

/** Restores a saved state into an empty world; other formats are ignored. */
export function restoreWorld(world: World, saved: unknown): void {
  if (!isSaved(saved)) return;
  for (const user of saved.users) world.users.set(user.id, user);
  for (const group of saved.groups) restoreGroup(world, group);
  for (const bot of saved.bots) restoreBot(world, bot);
  for (const file of saved.files) world.files.restore(file);
}

function isSaved(value: unknown): value is SavedWorld {
  return isRecord(value) && value["version"] === 1;
}

function saveGroup(group: GroupChat): SavedGroup {
  return {
    shape: group.shape,
    lastMessageId: group.lastMessageId,
    users: [...group.users.values()],
    bots: [...group.bots],
    administrators: [...group.administrators],
    topics: [...group.topics],
    ...(group.upgradedTo !== undefined && { upgradedTo: group.upgradedTo }),
  };
}

function restoreGroup(world: World, saved: SavedGroup): void {
  const group = new GroupChat(saved.shape, world.keepMessages);
  group.lastMessageId = saved.lastMessageId + idGap;
  group.upgradedTo = saved.upgradedTo;
  for (const user of saved.users) group.users.set(user.id, user);
  for (const [id, membership] of saved.bots) group.bots.set(id, membership);
  for (const [id, topic] of saved.topics ?? []) group.topics.set(id, topic);
  for (const id of saved.administrators ?? []) group.administrators.add(id);
  world.groups.set(saved.shape.id, group);
}

function saveBot(bot: Bot): SavedBot {
  const pending = bot.updates.list(0, savedUpdates);
  return {
    token: bot.token,
    user: bot.user,
    readsAll: bot.readsAllGroupMessages,
    lastUpdateId: bot.updates.lastId,
    ...(bot.webhook && { webhook: bot.webhook }),
    ...(bot.allowedUpdates && { allowedUpdates: [...bot.allowedUpdates] }),
    chats: [...bot.chats.values()].filter((chat) => chat.kind === "private").map(saveChat),
    pending: pending.map(({ orderingKey, body }) => ({ orderingKey, body })),
  };
}

function saveChat(chat: Chat): SavedChat {
  const { lastMessageId, shape } = chat;
  return { id: shape.id, lastMessageId, blocked: chat.kind === "private" && chat.blocked };
}

function restoreBot(world: World, saved: SavedBot): void {
  const bot = world.restoreBot({ ...saved, lastUpdateId: saved.lastUpdateId + idGap });
  bot.webhook = saved.webhook;
  bot.allowedUpdates = saved.allowedUpdates && new Set(saved.allowedUpdates);
  for (const { id, lastMessageId, blocked } of saved.chats) {
    const user = world.users.get(id);
    if (!user) continue;
    const chat = new PrivateChat(user, world.keepMessages);
    chat.lastMessageId = lastMessageId + idGap;
    chat.blocked = blocked;
    bot.chats.set(id, chat);
  }
  for (const { orderingKey, body } of saved.pending) bot.updates.push(body, orderingKey, world.clock.nowMs());
}
