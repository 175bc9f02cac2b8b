import { Journal } from "../../journal.ts";
import type { ClientConnection } from "../connection.ts";

/** What a person's app shows of something that happened in a chat. */
export interface InboxItem {
  readonly at: string;
  /** `message`, `edit`, `deletion`, `reaction`, `read` or `typing`. */
  readonly event: string;
  readonly chat_id: string;
  readonly message_id: string | null;
  /** The phone number of whoever did it. */
  readonly from: string;
  readonly kind: string | null;
  readonly text: string | null;
}

const keptItems = 10_000;

/** The code word of an account with two-step verification. */
export interface Password {
  readonly word: string;
  readonly hint: string | undefined;
}

/** A person with a phone, whose account clients can be logged in to. */
export class Account {
  readonly id: number;
  readonly phone: string;
  firstName: string;
  lastName: string;
  password: Password | undefined;
  /** The platform has blocked the profile: no login, no session. */
  isBlocked = false;
  /** Until then the account may not write first. */
  restrictedUntilMs = 0;
  /** Whom this person has blocked, by id. */
  readonly blocks = new Set<number>();
  /** The address book, by id. */
  readonly contacts = new Set<number>();
  /** By their number. */
  readonly sessions = new Map<number, Session>();
  readonly inbox = new Journal<InboxItem>(keptItems);
  lastSeenMs = 0;
  photoToken: string | undefined;
  readonly updatedMs: number;

  constructor(setup: {
    id: number;
    phone: string;
    name: string;
    lastName?: string | undefined;
    nowMs: number;
  }) {
    this.id = setup.id;
    this.phone = setup.phone;
    this.firstName = setup.name;
    this.lastName = setup.lastName ?? "";
    this.updatedMs = setup.nowMs;
  }

  get name(): string {
    return this.lastName === "" ? this.firstName : `${this.firstName} ${this.lastName}`;
  }
}

/** One web socket of a client, and who is logged in on it. */
export type Connection = ClientConnection<Session>;

/** A client that is logged in to an account, connected or not. */
export class Session {
  readonly number: number;
  readonly account: Account;
  readonly deviceId: string;
  readonly client: string;
  readonly createdMs: number;
  token: string;
  /** A token that was replaced, and is good until its successor is used. */
  previousToken: string | undefined;
  lastMs: number;
  connection: Connection | undefined;
  /** Chats whose typing it is told of, with the time until when. */
  readonly subscriptions = new Map<number, number>();

  constructor(setup: {
    number: number;
    account: Account;
    deviceId: string;
    client: string;
    token: string;
    nowMs: number;
  }) {
    this.number = setup.number;
    this.account = setup.account;
    this.deviceId = setup.deviceId;
    this.client = setup.client;
    this.token = setup.token;
    this.createdMs = setup.nowMs;
    this.lastMs = setup.nowMs;
  }
}
