/** Entries of the journals that the admin API lists; field names are the API's. */

/** A call of a client. */
export interface CallRecord {
  readonly at: string;
  /** Who was logged in; null before. */
  readonly phone: string | null;
  readonly dc: number;
  /** The login that called, as in lists of sessions. */
  readonly session: string;
  readonly layer: number;
  readonly method: string;
  /** The text of the error that it was answered with. */
  error: string | null;
  /** The emulator does not know this method. */
  unknown: boolean;
}

/** What a client sent, edited or deleted. */
export interface SentRecord {
  readonly at: string;
  readonly phone: string;
  readonly action: "message" | "edit" | "delete" | "read";
  /** The person's phone number or the marked id of the group. */
  readonly chat: string | null;
  readonly message_ids: readonly number[];
  readonly random_id: string | null;
  readonly kind: string | null;
  readonly text: string | null;
}

/** What a person's phone shows, and linked clients are sent. */
export interface InboxRecord {
  readonly at: string;
  readonly action: "message" | "edit" | "delete" | "read";
  /** Who did it: a phone number; null where it does not matter. */
  readonly from: string | null;
  readonly chat: string | null;
  readonly message_ids: readonly number[];
  readonly kind: string | null;
  readonly text: string | null;
}

/** What happened to a connection, a key or a login. */
export interface EventRecord {
  readonly at: string;
  readonly event: string;
  readonly phone: string | null;
  readonly dc: number | null;
  readonly session: string | null;
  readonly detail: string | null;
}
