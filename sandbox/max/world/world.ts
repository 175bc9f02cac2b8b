import { randomBytes } from "node:crypto";
import type { BlobStore } from "../../blob-store.ts";
import { Clock } from "../../clock.ts";
import { AdminError, missing } from "../../http/fields.ts";
import { Journal } from "../../journal.ts";
import { RateLimiter } from "../../rate-limiter.ts";
import { createFaultList } from "../fault.ts";
import { MediaStore } from "../media/store.ts";
import type { AckRecord, CallRecord, EventRecord, SentRecord } from "../records.ts";
import { defaultSettings, type Settings } from "../settings.ts";
import type { Connection } from "./account.ts";
import { Account, Session } from "./account.ts";
import { Chat, dialogId } from "./chat.ts";
import { Tracks } from "./tracks.ts";

const keptEntries = 10_000;
const firstAccount = 10_000_001;
/** Ids of groups are negative and have 14 digits. */
const firstGroup = -68_000_000_000_001;

/** Limits of one account per minute. */
export interface Flood {
  readonly sendsPerMinute: number;
  readonly lookupsPerMinute: number;
  readonly loginsPerMinute: number;
}

/** The default limits: public tools stay below them. */
export const usualFlood: Flood = { sendsPerMinute: 30, lookupsPerMinute: 10, loginsPerMinute: 10 };

/** Everything that exists in the emulated MAX. */
export class World {
  readonly clock = new Clock();
  readonly accounts = new Map<number, Account>();
  readonly chats = new Map<string, Chat>();
  readonly connections = new Set<Connection>();
  readonly tracks: Tracks;
  readonly sent = new Journal<SentRecord>(keptEntries);
  readonly calls = new Journal<CallRecord>(keptEntries);
  readonly acks = new Journal<AckRecord>(keptEntries);
  readonly events = new Journal<EventRecord>(keptEntries);
  readonly faults = createFaultList();
  readonly rates = new RateLimiter(this.clock);
  readonly media: MediaStore;
  readonly changed: () => void;
  settings: Settings = { ...defaultSettings };
  /** Undefined: none. */
  flood: Flood | undefined;
  readonly #byPhone = new Map<string, Account>();
  /** Sessions by token, including replaced tokens while they are valid. */
  readonly tokens = new Map<string, Session>();
  /** Tokens that are refused because all sessions were ended. */
  readonly endedByAll = new Set<string>();
  #nextAccount = firstAccount;
  #nextGroup = firstGroup;
  #nextSession = 1;
  #lastMessageId = 0n;

  constructor(setup: { blobs: BlobStore; changed: () => void }) {
    this.changed = setup.changed;
    this.tracks = new Tracks(this.clock);
    const linkTtlMs = () => this.settings.linkTtlMs;
    this.media = new MediaStore({ blobs: setup.blobs, clock: this.clock, linkTtlMs });
  }

  nowMs(): number {
    return this.clock.nowMs();
  }

  stamp(): string {
    return new Date(this.nowMs()).toISOString();
  }

  note(event: string, about?: Session | Account, detail?: string): void {
    const session = about instanceof Session ? about : undefined;
    const phone = session?.account.phone ?? (about instanceof Account ? about.phone : null);
    const number = session?.number ?? null;
    this.events.append({ at: this.stamp(), phone, session: number, event, detail: detail ?? null });
  }

  /** Creates a person, or returns the one with this number. */
  putAccount(setup: { phone: string; name?: string | undefined; id?: number | undefined }): Account {
    if (!/^\d{5,15}$/.test(setup.phone))
      throw new AdminError(400, "invalid_field", "phone must be 5 to 15 digits");
    const known = this.#byPhone.get(setup.phone);
    if (known) {
      known.firstName = setup.name ?? known.firstName;
      return known;
    }
    const id = setup.id ?? this.#nextAccount++;
    if (this.accounts.has(id)) throw new AdminError(409, "exists", `${id} is somebody else's`);
    const name = setup.name ?? `Person ${setup.phone}`;
    return this.register(new Account({ id, phone: setup.phone, name, nowMs: this.nowMs() }));
  }

  register(account: Account): Account {
    this.accounts.set(account.id, account);
    this.#byPhone.set(account.phone, account);
    this.#nextAccount = Math.max(this.#nextAccount, account.id + 1);
    this.changed();
    return account;
  }

  /** Digits, with or without the plus. */
  findByPhone(phone: string): Account | undefined {
    return this.#byPhone.get(phone.replace(/^\+/, ""));
  }

  /** 404 if no person has this number. */
  account(phone: string): Account {
    const account = this.findByPhone(phone);
    if (!account) throw missing("person", phone);
    return account;
  }

  /** Adds a logged-in client; it receives events from its first LOGIN on. */
  addSession(account: Account, client: { deviceId: string; client: string }): Session {
    const token = newToken();
    const session = new Session({
      number: this.#nextSession++,
      account,
      ...client,
      token,
      nowMs: this.nowMs(),
    });
    return this.registerSession(session);
  }

  registerSession(session: Session): Session {
    session.account.sessions.set(session.number, session);
    this.tokens.set(session.token, session);
    this.#nextSession = Math.max(this.#nextSession, session.number + 1);
    this.changed();
    return session;
  }

  /** Deletes the session: its token is refused from now on. */
  dropSession(session: Session, reason: "one" | "all" = "one"): void {
    session.account.sessions.delete(session.number);
    for (const token of [session.token, session.previousToken ?? ""]) {
      this.tokens.delete(token);
      if (reason === "all") this.endedByAll.add(token);
    }
    this.changed();
  }

  sessions(): Session[] {
    return [...this.accounts.values()].flatMap(({ sessions }) => [...sessions.values()]);
  }

  /** The chat with this id for this person; dialogues are created on demand. */
  findChat(account: Account, id: number): Chat | undefined {
    const key = id === 0 ? `0:${account.id}` : String(id);
    const chat = this.chats.get(key);
    if (chat) return chat.participants.has(account.id) || chat.type === "CHAT" ? chat : undefined;
    if (id === 0)
      return this.addChat(new Chat({ id, type: "DIALOG", owner: account.id, nowMs: this.nowMs() }));
    const other = this.accounts.get(dialogId(account.id, id));
    return other && this.dialog(account, other);
  }

  /** The dialogue of two people. */
  dialog(one: Account, other: Account): Chat {
    const id = dialogId(one.id, other.id);
    const known = this.chats.get(id === 0 ? `0:${one.id}` : String(id));
    if (known) return known;
    const chat = new Chat({ id, type: "DIALOG", owner: one.id, nowMs: this.nowMs() });
    for (const { id: member } of [one, other]) chat.join(member, 0);
    return this.addChat(chat);
  }

  addGroup(setup: {
    title: string;
    owner: Account;
    members: readonly Account[];
    id?: number | undefined;
  }): Chat {
    const id = setup.id ?? this.#nextGroup--;
    if (id >= 0) throw new AdminError(400, "invalid_field", "the number of a group is negative");
    if (this.chats.has(String(id))) throw new AdminError(409, "exists", `there is already a group ${id}`);
    const { title, owner } = setup;
    const group = new Chat({ id, type: "CHAT", owner: owner.id, title, nowMs: this.nowMs() });
    for (const { id: member } of [owner, ...setup.members]) group.join(member, this.nowMs());
    group.admins.add(owner.id);
    group.link = `https://max.ru/join/${randomBytes(16).toString("base64url")}`;
    return this.addChat(group);
  }

  addChat(chat: Chat): Chat {
    if (chat.id === 0) chat.join(chat.owner, 0);
    return this.restoreChat(chat);
  }

  /** A chat with its members, from a saved state. */
  restoreChat(chat: Chat): Chat {
    this.chats.set(chat.key, chat);
    if (chat.type === "CHAT") this.#nextGroup = Math.min(this.#nextGroup, chat.id - 1);
    this.changed();
    return chat;
  }

  /** 404 if there is no such group. */
  group(id: string): Chat {
    const chat = this.chats.get(id);
    if (chat?.type !== "CHAT") throw missing("group", id);
    return chat;
  }

  chatsOf(account: Account): Chat[] {
    return [...this.chats.values()].filter(({ participants }) => participants.has(account.id));
  }

  /** A message id: the time in the upper bits, as on the platform, and greater than all earlier ones. */
  newMessageId(time: number): bigint {
    const first = BigInt(time) << 16n;
    this.#lastMessageId = first > this.#lastMessageId ? first : this.#lastMessageId + 1n;
    return this.#lastMessageId;
  }

  /** New ids will be greater than this one. */
  seenMessageId(id: bigint): void {
    if (id > this.#lastMessageId) this.#lastMessageId = id;
  }

  /** Ends all waits. */
  release(): void {
    for (const journal of [this.sent, this.calls, this.acks, this.events]) journal.release();
    for (const { inbox } of this.accounts.values()) inbox.release();
  }

  /** Deletes everything and closes every connection. */
  clear(): void {
    for (const connection of this.connections) connection.drop();
    this.release();
    for (const journal of [this.sent, this.calls, this.acks, this.events]) journal.clear();
    for (const map of [this.accounts, this.chats, this.#byPhone, this.tokens, this.endedByAll]) map.clear();
    this.tracks.clear();
    this.faults.clear();
    this.rates.clear();
    this.media.clear();
    this.settings = { ...defaultSettings };
    this.flood = undefined;
    this.changed();
  }
}

/** A token in the platform's format: long and opaque to the client. */
export function newToken(): string {
  return `An_${randomBytes(96).toString("base64url")}`;
}
