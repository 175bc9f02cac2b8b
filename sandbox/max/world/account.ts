import { Journal } from "../../journal.ts";
import type { ClientConnection } from "../connection.ts";

/** An event of a chat as shown in a person's app. */
export interface InboxItem {
  readonly at: string;
  /** `message`, `edit`, `deletion`, `reaction`, `read` or `typing`. */
  readonly event: string;
  readonly chat_id: string;
  readonly message_id: string | null;
  /** The phone number of the person who acted. */
  readonly from: string;
  readonly kind: string | null;
  readonly text: string | null;
}

const keptItems = 10_000;

/** The password of an account with two-step verification. */
export interface Password {
  readonly word: string;
  readonly hint: string | undefined;
}

/** A person with a phone, whose account clients can log in to. */
export class Account {
  readonly id: number;
  readonly phone: string;
  firstName: string;
  lastName: string;
  password: Password | undefined;
  /** The platform has blocked the profile: no login, no session. */
  isBlocked = false;
  /** Until then the account may not start conversations. */
  restrictedUntilMs = 0;
  /** Ids of the people that this person has blocked. */
  readonly blocks = new Set<number>();
  /** Who may add the person to groups. */
  inviters: "all" | "contacts" = "all";
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

/** A client's web socket, with the session that is logged in. */
export type Connection = ClientConnection<Session>;

/** A client that is logged in to an account, connected or not. */
export class Session {
  readonly number: number;
  readonly account: Account;
  readonly deviceId: string;
  readonly client: string;
  readonly createdMs: number;
  token: string;
  /** A replaced token, valid until its successor is used. */
  previousToken: string | undefined;
  lastMs: number;
  connection: Connection | undefined;
  /** Chats whose typing is reported to it, with the expiry of the subscription. */
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
