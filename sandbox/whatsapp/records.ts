/** Entries of the journals that the admin API lists; field names are the API's. */

/** A message stanza from a linked device, and what became of it. */
export interface SentRecord {
  readonly at: string;
  /** The account and its device that sent it. */
  readonly from: string;
  readonly device: number;
  readonly message_id: string;
  /** As the device addressed it. */
  readonly to: string;
  /** The phone number or group behind `to`; null when there is none. */
  readonly chat: string | null;
  readonly type: string | null;
  readonly edit: string | null;
  readonly category: string | null;
  /** Who was written to; devices of the own account too. */
  readonly recipients: readonly SentTo[];
  /** `sent`, `held`, `lost`, or the code of the error that it was refused with. */
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

/** A query of a client. `error` is what it was answered with. */
export interface IqRecord {
  readonly at: string;
  readonly phone: string | null;
  readonly device: number | null;
  readonly xmlns: string;
  readonly type: string;
  /** The name of its first part, e.g. `count`, `upload`, `usync`. */
  readonly what: string | null;
  error: number | null;
  /** The emulator does not know this namespace. */
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

/** A client's acknowledgement of a stanza; for messages, `error` says that it could not use it. */
export interface AckRecord {
  readonly at: string;
  readonly phone: string;
  readonly device: number;
  readonly class: string;
  readonly message_id: string;
  readonly error: string | null;
}

/** What happened to a connection or a linked device. */
export interface EventRecord {
  readonly at: string;
  readonly phone: string | null;
  readonly device: number | null;
  /** `qr`, `code_requested`, `code_wrong`, `paired`, `login`, `ready`, `refused`, `replaced`, `unlinked`, `closed`, … */
  readonly event: string;
  readonly detail: string | null;
}
