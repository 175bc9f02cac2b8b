import type { SrpChallenge, StoredPassword } from "../crypto/srp.ts";
import { emptyMailbox, type Mailbox } from "./mailbox.ts";
import type { PeerRef } from "./peer.ts";

/** A conversation as its owner sees it. */
export interface Dialog {
  readonly peer: PeerRef;
  topId: number;
  /** The newest of their messages that the owner has read, and of the owner's that they have. */
  readInbox: number;
  readOutbox: number;
}

/** How a person is named in somebody's list of contacts. */
export interface Contact {
  readonly firstName: string;
  readonly lastName: string;
}

/** An account of Telegram. Plain data, kept over restarts. */
export interface Person {
  readonly id: number;
  /** Digits. */
  readonly phone: string;
  firstName: string;
  lastName: string | undefined;
  username: string | undefined;
  /** The data centre that keeps the account. */
  readonly homeDc: number;
  readonly isBot: boolean;
  status: "active" | "deactivated" | "banned";
  password: StoredPassword | undefined;
  /** Whether others find the account by its number. */
  hidesPhone: boolean;
  /** Who may begin to write: everybody, contacts, or contacts and those who pay for it. */
  writers: "all" | "contacts" | "premium";
  /** Until when the account may not begin conversations (seconds since 1970). */
  restrictedUntil: number;
  photo: string | undefined;
  readonly contacts: Map<number, Contact>;
  readonly blocked: Set<number>;
  readonly mailbox: Mailbox;
  /** Counts the containers of updates that are in an order of their own. */
  seq: number;
  /** Counts the messages of secret chats. */
  qts: number;
  readonly dialogs: Map<string, Dialog>;
  /** The message ids behind the `random_id`s that were used. */
  readonly randomIds: Map<string, number>;
  /** Attempts to prove the password, by `srp_id`. */
  readonly challenges: Map<string, SrpChallenge>;
}

/** What a new person may be given. */
export type PersonSetup = Pick<Person, "id" | "phone" | "homeDc"> & Partial<Person>;

export function newPerson(setup: PersonSetup): Person {
  return {
    firstName: `Person ${setup.phone}`,
    lastName: undefined,
    username: undefined,
    isBot: false,
    status: "active",
    password: undefined,
    hidesPhone: false,
    writers: "all",
    restrictedUntil: 0,
    photo: undefined,
    contacts: new Map(),
    blocked: new Set(),
    mailbox: emptyMailbox(),
    seq: 0,
    qts: 0,
    dialogs: new Map(),
    randomIds: new Map(),
    challenges: new Map(),
    ...setup,
  };
}
