import type { SrpChallenge, StoredPassword } from "../crypto/srp.ts";
import { emptyMailbox, type Mailbox } from "./mailbox.ts";
import type { PeerRef } from "./peer.ts";

/** A conversation as its owner sees it. */
export interface Dialog {
  readonly peer: PeerRef;
  topId: number;
  /** The newest message of the other side that the owner has read, and vice versa. */
  readInbox: number;
  readOutbox: number;
}

/** A person's name in another one's contacts. */
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
  /** Whether others can find the account by its number. */
  hidesPhone: boolean;
  /** Who may start to write: everyone, contacts, or contacts and those who pay for it. */
  writers: "all" | "contacts" | "premium";
  /** Who may add the account to groups. */
  inviters: "all" | "contacts";
  /** Until when the account may not start conversations (Unix seconds). */
  restrictedUntil: number;
  photo: string | undefined;
  readonly contacts: Map<number, Contact>;
  readonly blocked: Set<number>;
  readonly mailbox: Mailbox;
  /** Counts the containers of updates that have their own order. */
  seq: number;
  /** Counts the messages of secret chats. */
  qts: number;
  readonly dialogs: Map<string, Dialog>;
  /** Message ids by used `random_id`. */
  readonly randomIds: Map<string, number>;
  /** Attempts to prove the password, by `srp_id`. */
  readonly challenges: Map<string, SrpChallenge>;
}

/** The initial fields of a person. */
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
    inviters: "all",
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
