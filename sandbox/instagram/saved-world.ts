import { isRecord } from "../http/fields.ts";
import type { StoredFile } from "../public-files.ts";
import type { Account, App } from "./account/account.ts";
import type { Person } from "./account/person.ts";
import type { Token } from "./login/token.ts";
import type { Comment, Post } from "./post/post.ts";
import type { StoredAttachment, World } from "./world.ts";

type SavedApp = Omit<App, "fields"> & { readonly fields: readonly string[] };

interface SavedConversation {
  readonly personId: string;
  readonly igsid: string;
  readonly lastInboundMs?: number;
  readonly blocked: boolean;
  readonly deleted: boolean;
}

interface SavedAccount {
  readonly id: string;
  readonly pageId: string;
  readonly appScopedId: string;
  readonly username: string;
  readonly name: string;
  /** Null: a page's subscription, which lets every field through. */
  readonly subscriptions: readonly (readonly [appId: string, fields: readonly string[] | null])[];
  readonly conversations: readonly SavedConversation[];
}

interface SavedWorld {
  readonly version: 1;
  readonly apps: readonly SavedApp[];
  readonly accounts: readonly SavedAccount[];
  readonly people: readonly Person[];
  readonly tokens: readonly Token[];
  readonly posts: readonly Post[];
  readonly comments: readonly Comment[];
  readonly attachments: readonly StoredAttachment[];
  readonly files: readonly StoredFile[];
}

/** Accounts, people, tokens, posts, comments and files; messages and undelivered callbacks are not kept. */
export function saveWorld(world: World): SavedWorld {
  return {
    version: 1,
    apps: [...world.apps.values()].map((app) => ({ ...app, fields: [...app.fields] })),
    accounts: [...world.accounts.values()].map(saveAccount),
    people: [...world.people.values()],
    tokens: [...world.tokens.values()],
    posts: [...world.posts.values()],
    comments: [...world.comments.values()],
    attachments: [...world.attachments.values()],
    files: world.files.save(),
  };
}

function saveAccount({
  id,
  pageId,
  appScopedId,
  username,
  name,
  subscriptions,
  conversations,
}: Account): SavedAccount {
  return {
    id,
    pageId,
    appScopedId,
    username,
    name,
    subscriptions: [...subscriptions].map(([appId, fields]) => [appId, fields ? [...fields] : null]),
    conversations: [...conversations.values()].map(({ person, igsid, lastInboundMs, blocked, deleted }) => ({
      personId: person.id,
      igsid,
      ...(lastInboundMs !== undefined && { lastInboundMs }),
      blocked,
      deleted,
    })),
  };
}

/** Restores a saved state into an empty world; other formats are ignored. */
export function restoreWorld(world: World, saved: unknown): void {
  if (!isSaved(saved)) return;
  for (const app of saved.apps) world.addApp({ ...app, fields: new Set(app.fields) });
  for (const person of saved.people) world.people.set(person.id, person);
  for (const account of saved.accounts) restoreAccount(world, account);
  for (const token of saved.tokens) world.tokens.set(token.value, restoreToken(token));
  for (const post of saved.posts) world.posts.set(post.id, { ...post, thumbnailUrl: post.thumbnailUrl });
  for (const comment of saved.comments) world.comments.set(comment.id, comment);
  for (const attachment of saved.attachments) world.attachments.set(attachment.id, attachment);
  for (const file of saved.files) world.files.restore(file);
}

/** JSON has no undefined fields. */
function restoreToken({ expiresAtMs, withdrawn, ...token }: Token): Token {
  return { ...token, expiresAtMs, withdrawn };
}

function restoreAccount(world: World, saved: SavedAccount): void {
  const account = world.addAccount(saved);
  for (const [appId, fields] of saved.subscriptions) {
    account.subscriptions.set(appId, fields ? new Set(fields) : undefined);
  }
  for (const { personId, igsid, lastInboundMs, blocked, deleted } of saved.conversations) {
    const person = world.people.get(personId);
    if (!person) continue;
    Object.assign(account.conversationWith(person, igsid), { lastInboundMs, blocked, deleted });
  }
}

function isSaved(value: unknown): value is SavedWorld {
  return isRecord(value) && value["version"] === 1;
}
