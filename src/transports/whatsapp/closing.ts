/** How a connection ended. */
export interface Closing {
  /** The library's status for the reason: an HTTP status, or one of WhatsApp's. */
  readonly status: number;
  readonly message: string;
  /** Whether the account was already linked at that time. */
  readonly isLinked: boolean;
  /** The number of consecutive ends of the stream with error 500, including this one. */
  readonly brokenStreams: number;
}

export type Consequence =
  /** Part of linking: reconnect immediately. */
  | "restart"
  | "reconnect"
  /** Nobody scanned a QR code. */
  | "qridle"
  | "openelsewhere"
  /** Logged out on the phone, or banned: the keys are no longer valid. */
  | "unauthorized"
  /** WhatsApp rejects this program's version; only an operator can fix that. */
  | "outdated";

const BROKEN_STREAMS = 3;
/** Unlinked (401), locked (403), banned (406), or not enrolled (411). */
const UNAUTHORIZED: ReadonlySet<number> = new Set([401, 403, 406, 411]);
/** The message of baileys when the last QR code has expired (Socket/socket.js). */
const QR_ENDED = "QR refs attempts ended";

/** What to do after a connection has closed (baileys, `DisconnectReason`; whatsmeow, `connectfailure`). */
export function consequenceOf({ status, message, isLinked, brokenStreams }: Closing): Consequence {
  if (message.startsWith(QR_ENDED)) return "qridle";
  if (status === 515) return "restart";
  if (!isLinked) return "reconnect";
  // Only WhatsApp's own messages count, because a proxy may also respond with 401 or 403.
  if (!saidByWhatsApp(message)) return "reconnect";
  if (status === 440) return "openelsewhere";
  if (UNAUTHORIZED.has(status)) return "unauthorized";
  if (status === 405) return "outdated";
  return status === 500 && brokenStreams >= BROKEN_STREAMS ? "unauthorized" : "reconnect";
}

/** The library's messages for `<failure>`, `<stream:error>` and a device that is not enrolled. */
export function saidByWhatsApp(message: string): boolean {
  return /^(Connection Failure|Stream Errored|Multi-device beta)/.test(message);
}
