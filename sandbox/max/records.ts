/** Entries of the journals of the admin API, with the API's field names. */

/** An action of a client that others see. */
export interface SentRecord {
  readonly at: string;
  readonly phone: string;
  readonly session: number;
  /** `send`, `edit`, `delete`, `read`, `typing`, `react` or `unreact`. */
  readonly method: string;
  readonly chat_id: string;
  readonly message_id: string | null;
  readonly cid: number | null;
  /** The `cid` was known: nothing new was sent. */
  readonly repeated: boolean;
  readonly kind: string | null;
  readonly text: string | null;
}

/** A request of a client. */
export interface CallRecord {
  readonly at: string;
  readonly phone: string | null;
  readonly session: number | null;
  readonly codec: string;
  readonly opcode: number;
  readonly name: string;
  readonly frame_seq: number;
  readonly payload: unknown;
  /** The error code; null: accepted. */
  error: string | null;
  /** The platform has no such operation, field or value. */
  unknown: boolean;
}

/** A client's response to a push. */
export interface AckRecord {
  readonly at: string;
  readonly phone: string | null;
  readonly opcode: number;
  readonly frame_seq: number;
  readonly payload: unknown;
}

/** An event of a connection or a session. */
export interface EventRecord {
  readonly at: string;
  readonly phone: string | null;
  readonly session: number | null;
  /** `open`, `init`, `qr`, `scanned`, `code_sent`, `linked`, `login`, `refused`, `replaced`, `ended`, `closed`, … */
  readonly event: string;
  readonly detail: string | null;
}
