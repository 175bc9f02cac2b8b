import { randomBytes } from "node:crypto";
import type { BlobStore } from "../blob-store.ts";
import { CallbackQueue, type DeliverySettings } from "../callback/queue.ts";
import { Clock } from "../clock.ts";
import { AdminError, missing } from "../http/fields.ts";
import type { Upload } from "../http/multipart.ts";
import { Journal } from "../journal.ts";
import { FileStore } from "../public-files.ts";
import { Account, type App, newId, webhookFields } from "./account/account.ts";
import type { Person } from "./account/person.ts";
import { Limiter } from "./call/limiter.ts";
import { deliveryRules } from "./callback/delivery-rules.ts";
import { createFaultList } from "./fault.ts";
import { createAuthorizations } from "./login/authorization.ts";
import { newTokenValue, type Token } from "./login/token.ts";
import type { Comment, Post } from "./post/post.ts";

/** Settings of the platform that a test may change. */
export interface Settings extends DeliverySettings {
  /** Whether comments are reported in `changes` or in the entry itself; Meta's pages show both. */
  changeForm: "changes" | "entry";
  /** What marks messages as seen in a callback: the message id, or a time. */
  seenForm: "mid" | "watermark";
  /** Whether `reply_to` is accepted; Meta documents it for Messenger only. */
  replyTo: "refused" | "accepted";
  /** Whether the response to a code is an object, or a list `data` with one object, as Meta documents it. */
  codeForm: "data" | "plain";
  /** Each message of a person is also announced by an edit without words, as live accounts report. */
  announceEdits: boolean;
  /** The seed of unknown fields and events in callbacks; 0: none. */
  novelty: number;
}

const defaults: Settings = {
  retryScale: 1,
  callbackTimeoutMs: 20_000,
  deliveries: 1,
  changeForm: "changes",
  seenForm: "mid",
  replyTo: "refused",
  codeForm: "data",
  announceEdits: true,
  novelty: 0,
};

/** A call, including refused ones. */
export interface CallRecord {
  readonly method: string;
  readonly path: string;
  readonly node: string;
  readonly edge: string;
  /** 0 if the connection was broken on purpose. */
  readonly status: number;
  readonly error_code?: number;
  readonly error_subcode?: number;
  readonly error?: string;
  readonly request?: Readonly<Record<string, unknown>>;
  /** The called version is no longer available; another one served it. */
  readonly warning?: string;
  /** The platform has no such path or field. */
  readonly unknown?: true;
}

/** A sent file that can be sent again by its id. */
export interface StoredAttachment {
  readonly id: string;
  readonly accountId: string;
  readonly type: string;
  readonly url: string;
}

/** Everything that exists in the emulated Instagram. */
export class World {
  readonly clock = new Clock();
  readonly apps = new Map<string, App>();
  readonly accounts = new Map<string, Account>();
  readonly people = new Map<string, Person>();
  readonly tokens = new Map<string, Token>();
  readonly posts = new Map<string, Post>();
  readonly comments = new Map<string, Comment>();
  readonly attachments = new Map<string, StoredAttachment>();
  readonly authorizations = createAuthorizations(this.clock);
  readonly faults = createFaultList();
  readonly limiter = new Limiter(this.clock);
  readonly calls = new Journal<CallRecord>(1000);
  readonly callbacks: CallbackQueue;
  readonly files: FileStore;
  /** Number of callbacks so far. */
  reports = 0;
  readonly keepMessages: number;
  readonly changed: () => void;
  /** The emulator's address, for example `http://127.0.0.1:8090/instagram`. */
  readonly url: () => string;
  settings: Settings = { ...defaults };

  constructor(setup: { blobs: BlobStore; keepMessages: number; changed: () => void; url: () => string }) {
    this.files = new FileStore(setup.blobs, setup.url);
    this.callbacks = new CallbackQueue(this.clock, deliveryRules(this.apps), () => this.settings);
    this.keepMessages = setup.keepMessages;
    this.changed = setup.changed;
    this.url = setup.url;
  }

  addApp(setup: Partial<App>): App {
    const id = this.#freeId(setup.id, "9", 15);
    const app: App = {
      id,
      secret: setup.secret ?? randomBytes(16).toString("hex"),
      name: setup.name ?? `App ${id}`,
      redirectUris: setup.redirectUris ?? [],
      callbackUrl: setup.callbackUrl,
      fields: setup.fields ?? new Set(webhookFields),
    };
    this.apps.set(id, app);
    this.changed();
    return app;
  }

  addAccount(setup: {
    id?: string;
    pageId?: string;
    appScopedId?: string;
    username?: string;
    name?: string;
  }) {
    const id = this.#freeId(setup.id, "1784", 17);
    const account = new Account({
      id,
      pageId: setup.pageId ?? newId("10", 15),
      appScopedId: setup.appScopedId ?? newId("2", 17),
      username: setup.username ?? `business_${id.slice(-4)}`,
      name: setup.name ?? `Business ${id.slice(-4)}`,
      keepMessages: this.keepMessages,
    });
    this.accounts.set(id, account);
    this.changed();
    return account;
  }

  addToken(setup: Omit<Token, "value" | "issuedAtMs" | "withdrawn"> & { readonly value?: string }): Token {
    const value = setup.value ?? newTokenValue(setup.kind);
    if (this.tokens.has(value)) throw new AdminError(409, "exists", "there is already such a token");
    const token: Token = { ...setup, value, issuedAtMs: this.clock.nowMs(), withdrawn: undefined };
    this.tokens.set(value, token);
    this.changed();
    return token;
  }

  /** Creates a person, or renames a known one. A username belongs to one person. */
  putPerson(setup: { id?: string; username?: string; name?: string }): Person {
    const id = setup.id ?? newId("7", 10);
    const known = this.people.get(id);
    const username = setup.username ?? known?.username ?? `person_${id}`;
    const holder = [...this.people.values()].find((person) => person.username === username);
    if (holder && holder.id !== id)
      throw new AdminError(409, "exists", `user ${holder.id} is called ${username}`);
    const person = Object.assign(known ?? { id, username, name: username }, { username });
    if (setup.name !== undefined) person.name = setup.name;
    this.people.set(id, person);
    this.changed();
    return person;
  }

  /** Stores a file at a public address. */
  async keepFile(bytes: Uint8Array | Upload, name: string, mime: string): Promise<string> {
    const file =
      bytes instanceof Uint8Array
        ? await this.files.addBytes(bytes, name, mime)
        : this.files.add(bytes, name, mime);
    return this.files.urlOf(file);
  }

  commentsOf(post: Post): Comment[] {
    return [...this.comments.values()].filter(({ postId, deleted }) => postId === post.id && !deleted);
  }

  account(id: string): Account {
    return this.accounts.get(id) ?? fail(missing("account", id));
  }

  person(id: string): Person {
    return this.people.get(id) ?? fail(missing("user", id));
  }

  app(id: string): App {
    return this.apps.get(id) ?? fail(missing("app", id));
  }

  post(id: string): Post {
    return this.posts.get(id) ?? fail(missing("media", id));
  }

  comment(id: string): Comment {
    return this.comments.get(id) ?? fail(missing("comment", id));
  }

  /** Ends all waits. */
  release(): void {
    this.calls.release();
    this.callbacks.attempts.release();
    this.authorizations.journal.release();
    for (const { sent } of this.accounts.values()) sent.release();
  }

  /** Deletes everything except the clock. */
  clear(): void {
    this.release();
    this.callbacks.stop();
    for (const journal of [this.callbacks.attempts, this.calls]) journal.clear();
    const all = [
      this.apps,
      this.accounts,
      this.people,
      this.tokens,
      this.posts,
      this.comments,
      this.attachments,
    ];
    for (const things of all) things.clear();
    for (const store of [this.authorizations, this.faults, this.files]) store.clear();
    this.limiter.limit(undefined);
    this.settings = { ...defaults };
    this.changed();
  }

  #freeId(wanted: string | undefined, prefix: string, digits: number): string {
    if (wanted === undefined) return newId(prefix, digits);
    if (!/^\d{5,20}$/.test(wanted))
      throw new AdminError(400, "invalid_field", "the id must be 5 to 20 digits");
    const isTaken = this.apps.has(wanted) || this.accounts.has(wanted);
    if (isTaken) throw new AdminError(409, "exists", `the id is already taken: ${wanted}`);
    return wanted;
  }
}

function fail(error: Error): never {
  throw error;
}
