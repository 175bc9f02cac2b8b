import { randomBytes } from "node:crypto";
import type { BlobStore } from "../blob-store.ts";
import { CallbackQueue } from "../callback/queue.ts";
import { Clock } from "../clock.ts";
import { AdminError, missing } from "../http/fields.ts";
import { Journal } from "../journal.ts";
import { FileStore } from "../public-files.ts";
import { Novelty } from "../trouble/novelty.ts";
import { Limiter } from "./call/limiter.ts";
import { newTokenValue, type Token } from "./call/token.ts";
import { deliveryRules, type EventSettings, ownerOf } from "./callback/rules.ts";
import { Community } from "./community.ts";
import type { EventType } from "./event-type.ts";
import { createFaultList } from "./fault.ts";
import { type App, createAuthorizations } from "./oauth/authorization.ts";
import type { User } from "./shape.ts";
import { MediaLibrary } from "./upload/library.ts";
import { UploadDesk } from "./upload/upload-desk.ts";

/** Settings of the platform that a test may change. */
export interface Settings extends EventSettings {
  /** Whether the confirmation code is requested before the response to `groups.addCallbackServer`, or after. */
  confirmation: "before_answer" | "after_answer";
  /** Whether the request for the confirmation code contains the secret. */
  confirmationSecret: boolean;
  /** The seed of unknown fields and types of events (`../trouble/novelty.ts`); 0: none. */
  novelty: number;
}

const defaults: Settings = {
  retryScale: 1,
  callbackTimeoutMs: 10_000,
  deliveries: 1,
  failuresToDisable: 100,
  confirmation: "after_answer",
  confirmationSecret: true,
  novelty: 0,
};

/** A call of the API, including refused ones. */
export interface CallRecord {
  readonly method: string;
  readonly group_id: number | null;
  readonly error_code?: number;
  readonly error?: string;
  /** The parameters, without the token. */
  readonly request: Readonly<Record<string, string>>;
  /** The names of the unknown method or parameters. */
  readonly unknown?: readonly string[];
}

/** Everything that exists in the emulated VK. */
export class World {
  readonly clock = new Clock();
  readonly users = new Map<number, User>();
  readonly communities = new Map<number, Community>();
  readonly tokens = new Map<string, Token>();
  readonly apps = new Map<number, App>();
  readonly authorizations = createAuthorizations(this.clock);
  readonly library = new MediaLibrary();
  readonly faults = createFaultList();
  readonly limiter = new Limiter(this.clock);
  readonly calls = new Journal<CallRecord>(1000);
  readonly files: FileStore;
  readonly uploads: UploadDesk;
  readonly callbacks: CallbackQueue;
  readonly keepMessages: number;
  readonly changed: () => void;
  /** The emulator's address, for example `http://127.0.0.1:8090/vk`. */
  readonly url: () => string;
  settings: Settings = { ...defaults };
  #reports = 0;

  constructor(setup: { blobs: BlobStore; keepMessages: number; changed: () => void; url: () => string }) {
    this.files = new FileStore(setup.blobs, setup.url);
    this.uploads = new UploadDesk(this.files, setup.url);
    this.callbacks = new CallbackQueue(this.clock, deliveryRules(this), () => this.settings);
    this.keepMessages = setup.keepMessages;
    this.changed = setup.changed;
    this.url = setup.url;
  }

  addCommunity(setup: { id?: number; name?: string; screenName?: string; ownerId: number }): Community {
    const id = setup.id ?? Math.max(200_000_000, ...this.communities.keys()) + 1;
    if (this.communities.has(id)) throw new AdminError(409, "exists", `there is already a community ${id}`);
    const community = new Community({
      id,
      name: setup.name ?? `Community ${id}`,
      screenName: setup.screenName ?? `club${id}`,
      ownerId: setup.ownerId,
      keepMessages: this.keepMessages,
    });
    this.communities.set(id, community);
    this.changed();
    return community;
  }

  addToken(setup: Omit<Token, "value" | "revoked"> & { readonly value?: string }): Token {
    const value = setup.value ?? newTokenValue();
    if (this.tokens.has(value)) throw new AdminError(409, "exists", "there is already such a token");
    const token: Token = { ...setup, value, revoked: false };
    this.tokens.set(value, token);
    this.changed();
    return token;
  }

  /** Creates a person, or renames a known one. */
  putUser(setup: Partial<User>): User {
    const id = setup.id ?? Math.max(1000, ...this.users.keys()) + 1;
    const user = {
      first_name: "Person",
      last_name: String(id),
      screen_name: `id${id}`,
      ...this.users.get(id),
      ...setup,
      id,
    };
    this.users.set(id, user);
    this.changed();
    return user;
  }

  /** Reports an event to every subscribed server, and to long polling. Returns the number of receivers. */
  emit(community: Community, type: EventType, object: object, orderingKey: string): number {
    const novelty = new Novelty(this.settings.novelty, this.#reports++);
    const told = this.#report(
      community,
      { type, subscribed: type, object: novelty.sprinkled(object) },
      orderingKey,
    );
    if (novelty.happens()) {
      const news = { type: `new_event_${novelty.number()}`, subscribed: type, object: { id: 1 } };
      this.#report(community, news, orderingKey);
    }
    return told;
  }

  /** To those who are subscribed to `subscribed`. */
  #report(
    community: Community,
    { type, subscribed, object }: { type: string; subscribed: EventType; object: object },
    orderingKey: string,
  ): number {
    const event = { type, event_id: randomBytes(20).toString("hex"), group_id: community.id, object };
    let told = 0;
    for (const server of community.servers.values()) {
      if (server.status !== "ok" || !server.events.has(subscribed)) continue;
      const secret = server.secret === "" ? {} : { secret: server.secret };
      const text = JSON.stringify({ ...event, v: server.apiVersion, ...secret });
      const owner = ownerOf(community, server);
      this.callbacks.add({ owner, url: server.url, orderingKey, event: type, text, headers: {} });
      told++;
    }
    const { longPoll } = community;
    if (longPoll.enabled && longPoll.events.has(subscribed)) {
      longPoll.push({ ...event, v: longPoll.apiVersion });
      told++;
    }
    return told;
  }

  user(id: number): User {
    return this.users.get(id) ?? fail(missing("user", id));
  }

  community(id: number): Community {
    return this.communities.get(id) ?? fail(missing("community", id));
  }

  app(id: number): App {
    return this.apps.get(id) ?? fail(missing("app", id));
  }

  /** Ends all waits. */
  release(): void {
    this.calls.release();
    this.callbacks.attempts.release();
    this.authorizations.journal.release();
    for (const community of this.communities.values()) community.release();
  }

  /** Deletes everything except the clock. */
  clear(): void {
    this.release();
    this.callbacks.stop();
    for (const journal of [this.callbacks.attempts, this.calls]) journal.clear();
    for (const things of [this.users, this.communities, this.tokens, this.apps]) things.clear();
    for (const store of [this.authorizations, this.library, this.faults, this.files, this.uploads])
      store.clear();
    this.limiter.limit(undefined);
    this.settings = { ...defaults };
    this.changed();
  }
}

function fail(error: Error): never {
  throw error;
}
