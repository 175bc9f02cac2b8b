import { randomBytes, randomInt } from "node:crypto";
import type { BlobStore } from "../blob-store.ts";
import { CallbackQueue, type DeliverySettings } from "../callback/queue.ts";
import { Clock } from "../clock.ts";
import { AdminError, missing } from "../http/fields.ts";
import { Journal } from "../journal.ts";
import { type App, type Waba, webhookFields } from "./account/account.ts";
import { type NumberSetup, PhoneNumber } from "./account/phone-number.ts";
import { SignupList } from "./account/signup.ts";
import { Limiter } from "./call/limiter.ts";
import { newTokenValue, type Token } from "./call/token.ts";
import { deliveryRules } from "./chat/delivery-rules.ts";
import type { Person } from "./chat/person.ts";
import type { StatusName } from "./chat/stored-message.ts";
import { createFaultList } from "./fault.ts";
import { MediaRegistry } from "./media/media-registry.ts";
import type { Template } from "./template/template.ts";

/** Settings of the platform that a test may change. */
export interface Settings extends DeliverySettings {
  /** How far statuses of a message are sent automatically; `none` leaves all to the admin API. */
  autoStatuses: Extract<StatusName, "sent" | "delivered" | "read"> | "none";
  /** A free-form message outside the window: accepted and failed later (the default), or refused at once. */
  windowErrors: "later" | "at_once";
  /** Business-scoped user ids in callbacks and responses; off: as before 2026. */
  userIds: boolean;
  /** The `url` of a file in callbacks, which only some apps get. */
  mediaUrls: boolean;
  /** The callbacks for which an address of an account or number replaces the app's. */
  overrideScope: "messages" | "all";
  /** What happens to a new template: nothing until the admin API moderates it, or approval. */
  templateReview: "manual" | "approve" | "reject";
  /** The seed of unknown fields and changes in callbacks; 0: there are none. */
  novelty: number;
}

const defaults: Settings = {
  retryScale: 1,
  callbackTimeoutMs: 20_000,
  deliveries: 1,
  autoStatuses: "delivered",
  windowErrors: "later",
  userIds: true,
  mediaUrls: false,
  overrideScope: "messages",
  templateReview: "manual",
  novelty: 0,
};

/** A call of the Graph API, including refused ones. */
export interface CallRecord {
  readonly method: string;
  readonly path: string;
  readonly node: string;
  readonly edge: string;
  readonly version: string;
  readonly status: number;
  readonly error_code?: number;
  readonly error?: string;
  /** The parameters, without secrets; undefined if they could not be parsed. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** The called version is no longer available; another one served it. */
  readonly warning?: string;
  /** The platform has no such path or field. */
  readonly unknown?: boolean;
}

/** Everything that exists in the emulated platform. */
export class World {
  readonly clock = new Clock();
  readonly apps = new Map<string, App>();
  readonly tokens = new Map<string, Token>();
  readonly wabas = new Map<string, Waba>();
  readonly numbers = new Map<string, PhoneNumber>();
  readonly people = new Map<string, Person>();
  readonly #byPhone = new Map<string, Person>();
  readonly templates = new Map<string, Template>();
  /** When a name was deleted: it cannot be reused for 30 days. */
  readonly deletedTemplates = new Map<string, number>();
  readonly signups = new SignupList(this.clock);
  readonly faults = createFaultList();
  readonly limiter = new Limiter(this.clock);
  readonly calls = new Journal<CallRecord>(1000);
  readonly callbacks: CallbackQueue;
  readonly media: MediaRegistry;
  readonly keepMessages: number;
  readonly changed: () => void;
  /** The emulator's address, for example `http://127.0.0.1:8090/wapi`. */
  readonly url: () => string;
  settings: Settings = { ...defaults };
  /** The number of callbacks so far. */
  reports = 0;

  constructor(setup: { blobs: BlobStore; keepMessages: number; changed: () => void; url: () => string }) {
    this.media = new MediaRegistry(setup.blobs, this.clock);
    this.callbacks = new CallbackQueue(this.clock, deliveryRules(this.apps), () => this.settings);
    this.keepMessages = setup.keepMessages;
    this.changed = setup.changed;
    this.url = setup.url;
  }

  addApp(setup: Partial<App>): App {
    const id = this.#freeId(setup.id, "app");
    const app: App = {
      id,
      secret: setup.secret ?? randomBytes(16).toString("hex"),
      name: setup.name ?? `App ${id}`,
      businessId: setup.businessId ?? newId(),
      requireProof: setup.requireProof ?? false,
      redirectUris: setup.redirectUris ?? [],
      callbackUrl: setup.callbackUrl,
      fields: setup.fields ?? new Set(webhookFields),
    };
    this.apps.set(id, app);
    this.changed();
    return app;
  }

  addWaba(setup: Partial<Omit<Waba, "subscriptions">>): Waba {
    const id = this.#freeId(setup.id, "account");
    const waba: Waba = {
      id,
      name: setup.name ?? `Business ${id}`,
      businessId: setup.businessId ?? newId(),
      namespace: setup.namespace ?? randomBytes(16).toString("hex"),
      reviewStatus: setup.reviewStatus ?? "APPROVED",
      ban: setup.ban,
      restrictions: setup.restrictions ?? [],
      limit: setup.limit ?? "TIER_250",
      deleted: setup.deleted ?? false,
      subscriptions: new Map(),
    };
    this.wabas.set(id, waba);
    this.changed();
    return waba;
  }

  addNumber(
    setup: Omit<NumberSetup, "id" | "keepMessages"> & { readonly id: string | undefined },
  ): PhoneNumber {
    for (const { phone, id } of this.numbers.values()) {
      if (phone === setup.phone) throw new AdminError(409, "exists", `number ${id} already has that phone`);
    }
    const id = this.#freeId(setup.id, "number");
    const number = new PhoneNumber({ ...setup, id, keepMessages: this.keepMessages });
    this.numbers.set(id, number);
    this.changed();
    return number;
  }

  addToken(setup: Omit<Token, "value" | "issuedAtMs" | "withdrawn"> & { readonly value?: string }): Token {
    const value = setup.value ?? newTokenValue();
    if (this.tokens.has(value)) throw new AdminError(409, "exists", "there is already such a token");
    const token: Token = { ...setup, value, issuedAtMs: this.clock.nowMs(), withdrawn: undefined };
    this.tokens.set(value, token);
    this.changed();
    return token;
  }

  /** Creates a person, or changes a known one. A number belongs to one person. */
  putPerson(person: Person): Person {
    const holder = this.#byPhone.get(person.phone);
    if (holder && holder.id !== person.id) {
      throw new AdminError(409, "exists", `user ${holder.id} already has the phone ${person.phone}`);
    }
    const known = this.people.get(person.id);
    if (known) this.#byPhone.delete(known.phone);
    // Conversations refer to the person: a known one is changed, not replaced.
    const whole = known ? Object.assign(known, person) : person;
    this.people.set(whole.id, whole);
    this.#byPhone.set(whole.phone, whole);
    this.changed();
    return whole;
  }

  personByPhone(phone: string): Person | undefined {
    return this.#byPhone.get(phone);
  }

  templatesOf(waba: Waba): Template[] {
    return [...this.templates.values()].filter(({ wabaId }) => wabaId === waba.id);
  }

  numbersOf(waba: Waba): PhoneNumber[] {
    return [...this.numbers.values()].filter((number) => number.waba === waba);
  }

  app(id: string): App {
    return this.apps.get(id) ?? fail(missing("app", id));
  }

  waba(id: string): Waba {
    return this.wabas.get(id) ?? fail(missing("account", id));
  }

  number(id: string): PhoneNumber {
    return this.numbers.get(id) ?? fail(missing("number", id));
  }

  person(id: string): Person {
    return this.people.get(id) ?? fail(missing("user", id));
  }

  template(id: string): Template {
    return this.templates.get(id) ?? fail(missing("template", id));
  }

  /** Ends all waits. */
  release(): void {
    this.calls.release();
    this.callbacks.attempts.release();
    this.signups.journal.release();
    for (const { sent } of this.numbers.values()) sent.release();
  }

  /** Deletes everything except the clock. */
  clear(): void {
    this.release();
    this.callbacks.stop();
    this.callbacks.attempts.clear();
    this.calls.clear();
    this.signups.clear();
    this.faults.clear();
    this.limiter.limit(undefined);
    this.media.clear();
    const all = [
      this.apps,
      this.tokens,
      this.wabas,
      this.numbers,
      this.people,
      this.#byPhone,
      this.templates,
    ];
    for (const things of [...all, this.deletedTemplates]) things.clear();
    this.settings = { ...defaults };
    this.changed();
  }

  #freeId(wanted: string | undefined, what: string): string {
    if (wanted === undefined) return newId();
    if (!/^\d{5,20}$/.test(wanted))
      throw new AdminError(400, "invalid_field", "the id must be 5 to 20 digits");
    const taken = [this.apps, this.wabas, this.numbers].some((things) => things.has(wanted));
    if (taken) throw new AdminError(409, "exists", `the id of the ${what} is already taken: ${wanted}`);
    return wanted;
  }
}

/** An id in Meta's format: fifteen digits. */
export function newId(): string {
  return `${randomInt(1, 10)}${String(randomInt(0, 1e14)).padStart(14, "0")}`;
}

function fail(error: Error): never {
  throw error;
}
