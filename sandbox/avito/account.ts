import { Journal } from "../journal.ts";

/** An application that was registered with Avito. */
export interface App {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
  /** The redirect address. */
  readonly redirectUri: string;
  /** The account of `client_credentials` tokens. */
  readonly ownerId: number;
}

/** An address that gets an account's messages. */
export interface Webhook {
  readonly url: string;
  /** The application whose secret signs. */
  readonly clientId: string;
}

/** A recorded action of a business. */
export interface SentRecord {
  readonly type: "text" | "image" | "delete" | "read";
  /** Unix seconds. */
  readonly at: number;
  readonly chat_id: string;
  readonly message_id: string | null;
  readonly message: unknown;
  readonly request: unknown;
}

/** A seller. */
export interface Account {
  readonly id: number;
  name: string;
  email: string;
  /** Digits. */
  phone: string;
  readonly profileUrl: string;
  /** The subscription includes the messenger API. */
  paid: boolean;
  readonly webhooks: Map<string, Webhook>;
  /** People who can no longer write to the account. */
  readonly blacklist: Set<number>;
  readonly sent: Journal<SentRecord>;
}

/** A buyer. */
export interface User {
  readonly id: number;
  name: string;
  readonly profileUrl: string;
}

/** A listing. */
export interface Item {
  readonly id: number;
  readonly title: string;
  readonly priceString: string;
  readonly statusId: number;
  readonly url: string;
  /** The account that sells it. */
  readonly userId: number;
  readonly imageCount: number;
}

export function newSentJournal(): Journal<SentRecord> {
  return new Journal<SentRecord>(10_000);
}
