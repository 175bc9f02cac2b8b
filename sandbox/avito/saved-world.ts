import { isRecord } from "../http/fields.ts";
import { type Account, type App, type Item, newSentJournal, type User, type Webhook } from "./account.ts";
import type { ChatType } from "./chat.ts";
import type { Media } from "./media-registry.ts";
import type { AccessToken, Grant } from "./token-store.ts";
import type { World } from "./world.ts";

type SavedAccount = Omit<Account, "webhooks" | "blacklist" | "sent"> & {
  readonly webhooks: readonly Webhook[];
  readonly blacklist: readonly number[];
};

interface SavedChat {
  readonly id: string;
  readonly type: ChatType;
  readonly accountId: number;
  readonly userId: number;
  readonly itemId: number | null;
  readonly blocked: boolean;
}

interface SavedWorld {
  readonly version: 1;
  readonly apps: readonly App[];
  readonly accounts: readonly SavedAccount[];
  readonly users: readonly User[];
  readonly items: readonly Item[];
  readonly chats: readonly SavedChat[];
  readonly access: readonly AccessToken[];
  readonly refresh: readonly (readonly [value: string, grant: Grant])[];
  readonly media: readonly Media[];
}

/** Applications, accounts, people, listings, chats, tokens and files; messages and callbacks are not kept. */
export function saveWorld(world: World): SavedWorld {
  return {
    version: 1,
    apps: [...world.apps.values()],
    accounts: [...world.accounts.values()].map(({ webhooks, blacklist, sent: _sent, ...account }) => ({
      ...account,
      webhooks: [...webhooks.values()],
      blacklist: [...blacklist],
    })),
    users: [...world.users.values()],
    items: [...world.items.values()],
    chats: [...world.chats.values()].map(({ id, type, account, user, item, blocked }) => ({
      id,
      type,
      accountId: account.id,
      userId: user.id,
      itemId: item?.id ?? null,
      blocked,
    })),
    access: [...world.tokens.access.values()],
    refresh: [...world.tokens.refresh],
    media: world.media.save(),
  };
}

/** Restores a saved state into an empty world; other formats are ignored. */
export function restoreWorld(world: World, saved: unknown): void {
  if (!isSaved(saved)) return;
  for (const { webhooks, blacklist, ...setup } of saved.accounts) {
    const account = world.addAccount({ ...setup, sent: newSentJournal() });
    for (const webhook of webhooks) account.webhooks.set(webhook.url, webhook);
    for (const id of blacklist) account.blacklist.add(id);
  }
  for (const app of saved.apps) world.addApp(app);
  for (const user of saved.users) world.putUser(user);
  for (const item of saved.items) world.addItem(item);
  for (const { id, type, accountId, userId, itemId, blocked } of saved.chats) {
    const item = itemId === null ? undefined : world.item(itemId);
    const chat = world.openChat({
      id,
      type,
      account: world.account(accountId),
      user: world.user(userId),
      item,
    });
    chat.blocked = blocked;
  }
  for (const token of saved.access) world.tokens.access.set(token.value, token);
  for (const [value, grant] of saved.refresh) world.tokens.refresh.set(value, grant);
  for (const media of saved.media) world.media.restore(media);
}

function isSaved(value: unknown): value is SavedWorld {
  return isRecord(value) && value["version"] === 1;
}
