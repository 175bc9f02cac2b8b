/** What became of a connection. */
export interface Closing {
  /** The library's number for the reason: HTTP's, or one of WhatsApp's. */
  readonly status: number;
  readonly message: string;
  /** The account was linked when it happened, not still on its way to be. */
  readonly isLinked: boolean;
  /** How many times in a row the stream ended with the error 500, this one included. */
  readonly brokenStreams: number;
}

export type Consequence =
  /** Part of linking: open another one at once. */
  | "restart"
  | "reconnect"
  /** Nobody scanned. */
  | "qridle"
  | "openelsewhere"
  /** Logged out on the phone, or the account is banned: its keys are worth nothing any more. */
  | "unauthorized"
  /** This program's version is refused; only an operator can help. */
  | "outdated";

const BROKEN_STREAMS = 3;
/** What baileys says when the last QR code has run out (Socket/socket.js). */
const QR_ENDED = "QR refs attempts ended";

/** What follows when a connection closes (baileys, `DisconnectReason`; whatsmeow, `connectfailure`). */
export function consequenceOf({ status, message, isLinked, brokenStreams }: Closing): Consequence {
  if (message.startsWith(QR_ENDED)) return "qridle";
  if (status === 515) return "restart";
  if (!isLinked) return "reconnect";
  // Only WhatsApp's own words count: a proxy on the way may answer 401 or 403 too.
  if (!saidByWhatsApp(message)) return "reconnect";
  if (status === 440) return "openelsewhere";
  if (status === 401 || status === 403 || status === 411) return "unauthorized";
  if (status === 405) return "outdated";
  return status === 500 && brokenStreams >= BROKEN_STREAMS ? "unauthorized" : "reconnect";
}

/** The library's words for `<failure>`, `<stream:error>` and a device that is not enrolled. */
export function saidByWhatsApp(message: string): boolean {
  return /^(Connection Failure|Stream Errored|Multi-device beta)/.test(message);
}
