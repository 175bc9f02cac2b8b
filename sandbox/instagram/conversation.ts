import { randomBytes } from "node:crypto";
import type { Person } from "./person.ts";

/** A message as both sides keep it. */
export interface StoredMessage {
  readonly mid: string;
  /** `echo` is what the owner wrote on the phone. */
  readonly direction: "in" | "out" | "echo";
  /** Milliseconds since 1970. */
  readonly atMs: number;
  text: string | undefined;
  readonly attachments: readonly Attachment[];
  readonly replyTo?: Readonly<Record<string, unknown>>;
  /** Buttons that the person may press. */
  readonly buttons: readonly MessageButton[];
  edits: number;
  unsent: boolean;
  reaction: string | undefined;
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
  /** What comes back, or the address that opens. */
  readonly payload: string;
}

/** What one account and one person wrote to each other. */
export class Conversation {
  readonly person: Person;
  /** The person's number for this account. */
  readonly igsid: string;
  readonly id = `aWdfZAG06${randomBytes(24).toString("base64url")}`;
  /** When the person last wrote; undefined for one who never did. */
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

/** A message's id, in the form that Instagram gives out. */
export function newMid(): string {
  return `aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlE${randomBytes(48).toString("base64url")}ZD`;
}
