import { randomBytes, randomInt } from "node:crypto";
import type { BlobStore } from "../blob-store.ts";
import { CallbackQueue, type DeliverySettings } from "../callback/queue.ts";
import { Clock } from "../clock.ts";
import { AdminError, missing } from "../http/fields.ts";
import { Journal } from "../journal.ts";
import { type Account, type App, type Item, newSentJournal, type User } from "./account.ts";
import { Chat, type ChatType, newChatId } from "./chat.ts";
import { newConsentJournal } from "./consent-journal.ts";
import { deliveryRules } from "./delivery-rules.ts";
import { createFaultList } from "./fault.ts";
import { MediaRegistry } from "./media-registry.ts";
import { MinuteCounter } from "./minute-counter.ts";
import { TokenStore } from "./token-store.ts";

/** Settings of the platform that a test may change. */
export interface Settings extends DeliverySettings {
  /** How often a failed callback is retried. Avito documents no retries. */
  readonly retries: number;
  /** `GET …/messages/` returns an object, as the live API does, or the bare array of the documentation. */
  readonly messagesForm: "object" | "array";
  /** An expired access token gets 401, or the 403 of a gateway. */
  readonly expiredTokens: "401" | "403";
  /** Errors of `/token` come with status 200. */
  readonly tokenErrorsAs200: boolean;
  /** Deletions are reported by webhook, with the type `deleted`. Not documented. */
  readonly tellDeletions: boolean;
  /** Avito writes a notice of its own after the first message of a buyer. */
  readonly notices: boolean;
  /** The seed of unknown fields and events in callbacks; 0: none. */
  readonly novelty: number;
}

const defaults: Settings = {
  retryScale: 1,
  callbackTimeoutMs: 2000,
  deliveries: 1,
  retries: 0,
  messagesForm: "object",
  expiredTokens: "401",
  tokenErrorsAs200: false,
  tellDeletions: false,
  notices: true,
  novelty: 0,
};

/** A call of the API, including refused ones. */
export interface CallRecord {
  readonly account_id: number | null;
  readonly method: string;
  readonly path: string;
  /** The pattern of the path, for example `/messenger/v2/accounts/{user_id}/chats`; empty: unknown. */
  readonly call: string;
  /** Without secrets. */
  readonly request: unknown;
  /** 0 if a fault closed the connection. */
  readonly status: number;
  readonly error?: string;
  /** The platform has no such path, parameter or field. */
  readonly unknown?: boolean;
}

/** Everything that exists in the emulated platform. */
export class World {
  readonly clock = new Clock();
  readonly apps = new Map<string, App>();
  readonly accounts = new Map<number, Account>();
  readonly users = new Map<number, User>();
  readonly items = new Map<number, Item>();
  readonly chats = new Map<string, Chat>();
  readonly tokens = new TokenStore(this.clock);
  readonly consents = newConsentJournal();
  readonly faults = createFaultList();
  readonly rate = new MinuteCounter(this.clock);
  readonly calls = new Journal<CallRecord>(1000);
  readonly callbacks: CallbackQueue;
  readonly media: MediaRegistry;
  readonly changed: () => void;
  settings: Settings = { ...defaults };
  /** Number of callbacks so far. */
  reports = 0;
  readonly #keepMessages: number;

  /** The emulator's address. */
  readonly url: () => string;

  constructor(setup: { blobs: BlobStore; keepMessages: number; changed: () => void; url: () => string }) {
    this.media = new MediaRegistry(setup.blobs, this.clock, setup.url);
    this.url = setup.url;
    this.callbacks = new CallbackQueue(this.clock, deliveryRules(this), () => this.settings);
    this.#keepMessages = setup.keepMessages;
    this.changed = setup.changed;
  }

  addApp(setup: Partial<App>): App {
    const clientId = setup.clientId ?? randomBytes(15).toString("base64url");
    if (this.apps.has(clientId)) throw new AdminError(409, "exists", `there is already an app ${clientId}`);
    const app = {
      clientId,
      clientSecret: setup.clientSecret ?? randomBytes(30).toString("base64url"),
      name: setup.name ?? `App ${clientId}`,
      redirectUri: setup.redirectUri ?? "http://localhost/avito",
      ownerId: setup.ownerId ?? [...this.accounts.keys()][0] ?? 0,
    };
    this.apps.set(clientId, app);
    this.changed();
    return app;
  }

  /** Changes an application's redirect address, if there is such an application. */
  redirectApp(clientId: string, redirectUri: string): void {
    const app = this.apps.get(clientId);
    if (app === undefined) return;
    this.apps.set(clientId, { ...app, redirectUri });
    this.changed();
  }

  addAccount(setup: Partial<Account>): Account {
    const id = setup.id ?? this.#newId(this.accounts);
    if (this.accounts.has(id) || this.users.has(id))
      throw new AdminError(409, "exists", `the number ${id} is already taken`);
    const account: Account = {
      id,
      name: setup.name ?? `Account ${id}`,
      email: setup.email ?? `account${id}@example.com`,
      phone: setup.phone ?? `7900${String(id).padStart(7, "0").slice(-7)}`,
      profileUrl: setup.profileUrl ?? `https://avito.ru/user/${randomBytes(16).toString("hex")}/profile`,
      paid: setup.paid ?? true,
      webhooks: new Map(),
      blacklist: new Set(),
      sent: newSentJournal(),
    };
    this.accounts.set(id, account);
    this.changed();
    return account;
  }

  /** Creates a buyer, or renames a known one. */
  putUser(setup: { id?: number | undefined; name?: string | undefined; profileUrl?: string }): User {
    const id = setup.id ?? this.#newId(this.users);
    if (this.accounts.has(id)) throw new AdminError(409, "exists", `the number ${id} is already taken`);
    const known = this.users.get(id);
    if (known && setup.name !== undefined) known.name = setup.name;
    const profileUrl = setup.profileUrl ?? `https://avito.ru/user/${randomBytes(16).toString("hex")}/profile`;
    const user = known ?? { id, name: setup.name ?? `User ${id}`, profileUrl };
    this.users.set(id, user);
    this.changed();
    return user;
  }

  addItem(setup: Partial<Item> & { readonly userId: number }): Item {
    const id = setup.id ?? this.#newId(this.items);
    if (this.items.has(id)) throw new AdminError(409, "exists", `there is already an item ${id}`);
    const item: Item = {
      id,
      title: setup.title ?? `Item ${id}`,
      priceString: setup.priceString ?? "300 000 ₽",
      statusId: setup.statusId ?? 10,
      url: setup.url ?? `https://avito.ru/items/${id}`,
      userId: setup.userId,
      imageCount: setup.imageCount ?? 4,
    };
    this.items.set(id, item);
    this.changed();
    return item;
  }

  /** The chat of these three; created if it does not exist, since a buyer writes first. */
  openChat(setup: {
    id?: string;
    type: ChatType;
    account: Account;
    user: User;
    item: Item | undefined;
  }): Chat {
    const { type, account, user, item } = setup;
    const known = [...this.chats.values()].find(
      (chat) => chat.type === type && chat.account === account && chat.user === user && chat.item === item,
    );
    if (known) return known;
    const id = setup.id ?? newChatId(type);
    const created = this.clock.now();
    const chat = new Chat({ id, type, account, user, item, created, keepMessages: this.#keepMessages });
    this.chats.set(chat.id, chat);
    this.changed();
    return chat;
  }

  account(id: number): Account {
    return this.accounts.get(id) ?? fail(missing("account", id));
  }

  user(id: number): User {
    return this.users.get(id) ?? fail(missing("user", id));
  }

  item(id: number): Item {
    return this.items.get(id) ?? fail(missing("item", id));
  }

  chat(id: string): Chat {
    return this.chats.get(id) ?? fail(missing("chat", id));
  }

  app(clientId: string | undefined): App {
    const app = clientId === undefined ? this.apps.values().next().value : this.apps.get(clientId);
    return app ?? fail(missing("app", clientId ?? ""));
  }

  /** Ends all waits. */
  release(): void {
    this.calls.release();
    this.consents.release();
    this.callbacks.attempts.release();
    for (const { sent } of this.accounts.values()) sent.release();
  }

  /** Deletes everything except the clock. */
  clear(): void {
    this.release();
    this.callbacks.stop();
    this.callbacks.attempts.clear();
    this.calls.clear();
    this.consents.clear();
    this.faults.clear();
    this.rate.limit(undefined);
    this.media.clear();
    this.tokens.clear();
    for (const things of [this.apps, this.accounts, this.users, this.items, this.chats]) things.clear();
    this.settings = { ...defaults };
    this.changed();
  }

  #newId(taken: ReadonlyMap<number, unknown>): number {
    const id = randomInt(1e8, 2e9);
    return taken.has(id) ? this.#newId(taken) : id;
  }
}

function fail(error: Error): never {
  throw error;
}
