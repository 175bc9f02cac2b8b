import { randomBytes } from "node:crypto";
import type { Person } from "./person.ts";

/** A message as stored for both sides. */
export interface StoredMessage {
  readonly mid: string;
  /** `echo`: written by the owner on the phone. */
  readonly direction: "in" | "out" | "echo";
  /** Unix milliseconds. */
  readonly atMs: number;
  text: string | undefined;
  readonly attachments: readonly Attachment[];
  readonly replyTo?: Readonly<Record<string, unknown>>;
  /** Buttons that the person can press. */
  readonly buttons: readonly MessageButton[];
  edits: number;
  unsent: boolean;
  /** The person's. */
  reaction: string | undefined;
  /** The account's. */
  ownReaction: string | undefined;
  /** The other side has seen it. */
  seen: boolean;
}

/** https://developers.facebook.com/docs/instagram-platform/webhooks/examples */
export interface Attachment {
  readonly type: string;
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** A quick reply, or a button of a template. */
export interface MessageButton {
  readonly kind: "quick_reply" | "postback" | "web_url";
  readonly title: string;
  /** The payload that is sent back, or the address that is opened. */
  readonly payload: string;
}

/** The messages between one account and one person. */
export class Conversation {
  readonly person: Person;
  /** The person's id scoped to this account. */
  readonly igsid: string;
  readonly id = `aWdfZAG06${randomBytes(24).toString("base64url")}`;
  /** When the person last wrote; undefined: never. */
  lastInboundMs: number | undefined;
  /** The person has blocked the account. */
  blocked = false;
  /** The owner of the account has deleted the thread. */
  deleted = false;
  readonly #keep: number;
  readonly #messages = new Map<string, StoredMessage>();

  constructor(person: Person, igsid: string, keep: number) {
    this.person = person;
    this.igsid = igsid;
    this.#keep = keep;
  }

  put(message: StoredMessage): void {
    this.#messages.set(message.mid, message);
    if (this.#messages.size <= this.#keep) return;
    const [oldest] = this.#messages.keys();
    if (oldest !== undefined) this.#messages.delete(oldest);
  }

  get(mid: string): StoredMessage | undefined {
    return this.#messages.get(mid);
  }

  /** Newest first. */
  newest(): StoredMessage[] {
    return [...this.#messages.values()].reverse();
  }
}

/** A message id in Instagram's format. */
export function newMid(): string {
  return `aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlE${randomBytes(48).toString("base64url")}ZD`;
}
