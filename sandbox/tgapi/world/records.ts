/** Entries of the journals of the admin API, with the API's field names. */

/** A call of a client. */
export interface CallRecord {
  readonly at: string;
  /** The account that was logged in; null: none. */
  readonly phone: string | null;
  readonly dc: number;
  /** The calling login, as in lists of sessions. */
  readonly session: string;
  readonly layer: number;
  readonly method: string;
  /** The text of the error; null: success. */
  error: string | null;
  /** The emulator does not support this method. */
  unknown: boolean;
}

/** What a client sent, edited or deleted. */
export interface SentRecord {
  readonly at: string;
  readonly phone: string;
  readonly action: "message" | "edit" | "delete" | "read";
  /** The person's phone number or the group's marked id. */
  readonly chat: string | null;
  readonly message_ids: readonly number[];
  readonly random_id: string | null;
  readonly kind: string | null;
  readonly text: string | null;
}

/** An event shown on a person's phone and sent to linked clients. */
export interface InboxRecord {
  readonly at: string;
  readonly action: "message" | "edit" | "delete" | "read";
  /** The phone number of the person who acted; null if irrelevant. */
  readonly from: string | null;
  readonly chat: string | null;
  readonly message_ids: readonly number[];
  readonly kind: string | null;
  readonly text: string | null;
}

/** An event of a connection, a key or a login. */
export interface EventRecord {
  readonly at: string;
  readonly event: string;
  readonly phone: string | null;
  readonly dc: number | null;
  readonly session: string | null;
  readonly detail: string | null;
}
