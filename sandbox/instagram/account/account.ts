import { randomInt } from "node:crypto";
import { Journal } from "../../journal.ts";
import { Conversation } from "./conversation.ts";
import type { Person } from "./person.ts";

/**
 * Events of an account that an app can subscribe to:
 * https://developers.facebook.com/docs/graph-api/webhooks/reference/instagram
 */
export const webhookFields: readonly string[] = [
  "messages",
  "messaging_postbacks",
  "messaging_seen",
  "message_reactions",
  "messaging_referral",
  "message_edit",
  "standby",
  "messaging_handover",
  "comments",
  "live_comments",
  "mentions",
  "story_insights",
];

/** A Meta app. Its id and secret are valid for both logins. */
export interface App {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
  /** Allowed redirect addresses; empty: any. */
  readonly redirectUris: readonly string[];
  callbackUrl: string | undefined;
  fields: ReadonlySet<string>;
}

/** A recorded action of the business, for tests to read and wait for. */
export interface SentRecord {
  readonly at: string;
  /** `message`, `private_reply`, `comment`, `reaction`, `typing`, `read`, `hide`, `deletion`. */
  readonly type: string;
  /** Of the message or the comment. */
  readonly id: string | null;
  /** The person's id in this emulator; null for comments on media. */
  readonly user: string | null;
  readonly request: Readonly<Record<string, unknown>>;
}

/** The initial data of an account. */
export interface AccountSetup {
  readonly id: string;
  readonly appScopedId: string;
  readonly pageId: string;
  readonly username: string;
  readonly name: string;
  readonly keepMessages: number;
}

/** A professional Instagram account with its Facebook page. */
export class Account {
  /** The account's own id: `entry.id` of callbacks. */
  readonly id: string;
  /** The `id` in `GET /me` of Instagram Login. */
  readonly appScopedId: string;
  readonly pageId: string;
  username: string;
  name: string;
  /** Subscriptions by app: fields for Instagram Login; undefined: a page's subscription. */
  readonly subscriptions = new Map<string, ReadonlySet<string> | undefined>();
  readonly conversations = new Map<string, Conversation>();
  readonly sent = new Journal<SentRecord>(10_000);
  readonly #keep: number;

  constructor(setup: AccountSetup) {
    this.id = setup.id;
    this.appScopedId = setup.appScopedId;
    this.pageId = setup.pageId;
    this.username = setup.username;
    this.name = setup.name;
    this.#keep = setup.keepMessages;
  }

  /** The conversation with a person, who gets an id scoped to this account at first contact. */
  conversationWith(person: Person, igsid?: string): Conversation {
    const existing = this.conversations.get(person.id);
    if (existing) return existing;
    const conversation = new Conversation(person, igsid ?? newId("1", 16), this.#keep);
    this.conversations.set(person.id, conversation);
    return conversation;
  }

  byIgsid(igsid: string): Conversation | undefined {
    return [...this.conversations.values()].find((conversation) => conversation.igsid === igsid);
  }
}

/** A number in Meta's style, beginning with `prefix`. */
export function newId(prefix: string, digits: number): string {
  let id = prefix;
  while (id.length < digits) id += String(randomInt(0, 10));
  return id;
}
