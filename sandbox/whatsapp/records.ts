/** Entries of the journals of the admin API, with the API's field names. */

/** A message stanza of a linked device, with its result. */
export interface SentRecord {
  readonly at: string;
  /** The account and device that sent it. */
  readonly from: string;
  readonly device: number;
  readonly message_id: string;
  /** The address used by the device. */
  readonly to: string;
  /** The phone number or group of `to`; null if there is none. */
  readonly chat: string | null;
  readonly type: string | null;
  readonly edit: string | null;
  readonly category: string | null;
  /** The recipients, including devices of the own account. */
  readonly recipients: readonly SentTo[];
  /** `sent`, `held`, `lost`, or the error code. */
  ack: string;
}

/** One device that a message was encrypted for. */
export interface SentTo {
  readonly phone: string;
  readonly device: number;
  readonly kind: string | null;
  readonly text: string | null;
  readonly problem: string | null;
}

/** A query of a client. `error`: that of the response. */
export interface IqRecord {
  readonly at: string;
  readonly phone: string | null;
  readonly device: number | null;
  readonly xmlns: string;
  readonly type: string;
  /** The tag of its first child, for example `count`, `upload`, `usync`. */
  readonly what: string | null;
  error: number | null;
  /** The emulator does not support this namespace. */
  readonly unknown: boolean;
}

/** A receipt of a client: `delivery`, `read`, `inactive`, `retry`, ... */
export interface ReceiptRecord {
  readonly at: string;
  readonly phone: string;
  readonly device: number;
  readonly type: string;
  readonly to: string;
  readonly participant: string | null;
  readonly message_ids: readonly string[];
}

/** A client's acknowledgement of a stanza; for messages, `error` means that it could not use it. */
export interface AckRecord {
  readonly at: string;
  readonly phone: string;
  readonly device: number;
  readonly class: string;
  readonly message_id: string;
  readonly error: string | null;
}

/** An event of a connection or a linked device. */
export interface EventRecord {
  readonly at: string;
  readonly phone: string | null;
  readonly device: number | null;
  /** `qr`, `code_requested`, `code_wrong`, `paired`, `login`, `ready`, `refused`, `replaced`, `unlinked`, `closed`, … */
  readonly event: string;
  readonly detail: string | null;
}
