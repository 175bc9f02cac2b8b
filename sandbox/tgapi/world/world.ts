import { randomBytes } from "node:crypto";
import type Long from "long";
import { Clock } from "../../clock.ts";
import { missing } from "../../http/fields.ts";
import { Journal } from "../../journal.ts";
import { type AuthKey, randomLong, saltsFrom } from "../mtproto/auth-key.ts";
import { Session } from "../mtproto/session.ts";
import { createFaultList } from "../rpc/fault.ts";
import { currentSchema, type Schema } from "../tl/schema.ts";
import type { FileStore } from "./file-store.ts";
import type { Forgery } from "./forgery.ts";
import type { CodeLogin, LoginToken } from "./login.ts";
import { markedId, type PeerRef } from "./peer.ts";
import type { CallRecord, EventRecord, InboxRecord, SentRecord } from "./records.ts";
import { defaultSettings, type Settings } from "./settings.ts";
import { emptyState, type State } from "./state.ts";

const keptEntries = 10_000;

/** The address of a data centre. */
export interface DataCentre {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

/** A connection to a data centre. */
export interface OpenConnection {
  /** The sessions that use it; usually one. */
  readonly sessions: ReadonlySet<Session>;
  drop(): void;
  freeze(): void;
  thaw(): void;
}

/** Everything that exists in the emulated Telegram. */
export class World {
  readonly clock = new Clock();
  readonly state: State = emptyState();
  readonly files: FileStore;
  readonly changed: () => void;
  readonly dataCentres: DataCentre[] = [];
  readonly connections = new Set<OpenConnection>();
  /** By key and session id. */
  readonly sessions = new Map<string, Session>();
  readonly loginTokens = new Map<string, LoginToken>();
  readonly codeLogins = new Map<string, CodeLogin>();
  /** One-time secrets of `auth.exportAuthorization`. */
  readonly exported = new Map<string, number>();
  readonly events = new Journal<EventRecord>(keptEntries);
  readonly rpcs = new Journal<CallRecord>(keptEntries);
  readonly sent = new Journal<SentRecord>(keptEntries);
  readonly faults = createFaultList();
  readonly #inboxes = new Map<number, Journal<InboxRecord>>();
  readonly #forgeries = new Map<Forgery, number>();
  /** Updates of an account, by its id, that are not delivered. */
  readonly #losses = new Map<number, number>();
  readonly #schemas: ReadonlyMap<number, Schema>;
  settings: Settings = { ...defaultSettings };
  /** How many pushes there were, which `Novelty` counts. */
  pushes = 0;

  constructor(setup: { files: FileStore; changed: () => void; schemas?: readonly Schema[] }) {
    this.files = setup.files;
    this.changed = setup.changed;
    this.#schemas = new Map((setup.schemas ?? []).map((each) => [each.layer, each]));
  }

  get keys(): Map<string, AuthKey> {
    return this.state.keys;
  }

  /** The schema for a client of this layer; the current one if the layer is unknown. */
  schemaOf(layer: number | undefined): Schema {
    return (layer === undefined ? undefined : this.#schemas.get(layer)) ?? currentSchema;
  }

  stamp(): string {
    return new Date(this.clock.nowMs()).toISOString();
  }

  note(
    event: string,
    about: { readonly key?: AuthKey; readonly dc?: number; readonly detail?: string } = {},
  ): void {
    const { key, dc, detail } = about;
    this.events.append({
      at: this.stamp(),
      event,
      phone: this.phoneOf(key?.userId) ?? null,
      dc: key?.dc ?? dc ?? null,
      session: key?.hash.toString() ?? null,
      detail: detail ?? null,
    });
  }

  /** The events shown on this account's phone. */
  inboxOf(userId: number): Journal<InboxRecord> {
    const known = this.#inboxes.get(userId) ?? new Journal<InboxRecord>(keptEntries);
    this.#inboxes.set(userId, known);
    return known;
  }

  phoneOf(userId: number | undefined): string | undefined {
    return userId === undefined ? undefined : this.state.people.get(userId)?.phone;
  }

  /** A conversation in the admin API: the other person's phone number, or the group's marked id. */
  nameOfPeer(peer: PeerRef): string | null {
    return peer.kind === "user" ? (this.phoneOf(peer.id) ?? null) : String(markedId(peer));
  }

  forge(kind: Forgery, times: number): void {
    this.#forgeries.set(kind, times);
  }

  /** The number of pending forgeries by kind. */
  get forgeriesLeft(): ReadonlyMap<Forgery, number> {
    return this.#forgeries;
  }

  /** Consumes one forgery of this kind, if one is pending. */
  takeForgery(kind: Forgery): boolean {
    const left = this.#forgeries.get(kind) ?? 0;
    if (left > 0) this.#forgeries.set(kind, left - 1);
    return left > 0;
  }

  /** The next updates of an account do not reach its clients, as if a server had lost them. */
  loseUpdates(userId: number, count: number): void {
    this.#losses.set(userId, count);
  }

  /** Consumes one loss of an update of this account, if one is pending. */
  takeLoss(userId: number): boolean {
    const left = this.#losses.get(userId) ?? 0;
    if (left > 0) this.#losses.set(userId, left - 1);
    return left > 0;
  }

  /** The session of a message; a new one if it is unknown or was without a connection for too long. */
  openSession(keyId: string, id: Long): { readonly session: Session; readonly isNew: boolean } {
    const name = `${keyId}/${id}`;
    const known = this.sessions.get(name);
    if (known && !this.#isStale(known)) return { session: known, isNew: false };
    const key = this.keys.get(keyId);
    if (!key) throw missing("key", keyId);
    const session = new Session(this, key, id);
    this.sessions.set(name, session);
    return { session, isNew: true };
  }

  announceSession(session: Session, firstMsgId: Long): void {
    this.note("session_created", { key: session.key });
    const serverSalt = saltsFrom(session.key, this.clock.now(), 1)[0]?.salt ?? randomLong();
    session.tell({ _: "mt_new_session_created", firstMsgId, uniqueId: randomLong(), serverSalt });
  }

  forgetSession(keyId: string, id: Long): boolean {
    return this.sessions.delete(`${keyId}/${id}`);
  }

  forgetKey(key: AuthKey): void {
    this.keys.delete(key.id);
    for (const [name, session] of this.sessions) if (session.key === key) this.sessions.delete(name);
    this.changed();
  }

  /** The sessions that are sent the updates of an account. */
  sessionsOf(userId: number): Session[] {
    return [...this.sessions.values()].filter(
      (session) =>
        session.key.userId === userId &&
        session.wantsUpdates &&
        !session.key.isImported &&
        session.key.endedBy === undefined &&
        !this.#isStale(session),
    );
  }

  /** Ends all waits. */
  release(): void {
    for (const journal of this.#journals()) journal.release();
  }

  /** Deletes everything except the addresses, and closes every connection. */
  clear(): void {
    for (const connection of this.connections) connection.drop();
    this.release();
    for (const journal of this.#journals()) journal.clear();
    for (const map of [this.sessions, this.loginTokens, this.codeLogins, this.exported]) map.clear();
    Object.assign(this.state, emptyState(), { secret: randomBytes(32) });
    this.#forgeries.clear();
    this.#losses.clear();
    this.faults.clear();
    this.files.clear();
    this.settings = { ...defaultSettings };
    this.changed();
  }

  #journals() {
    const { events, rpcs, sent } = this;
    return [events, rpcs, sent, ...this.#inboxes.values()];
  }

  #isStale(session: Session): boolean {
    const awayMs = this.clock.nowMs() - session.seenAtMs;
    return !session.isOnline && awayMs > this.settings.sessionSeconds * 1000;
  }
}
