/** How a connection ended. */
export interface Closing {
  /** The library's status for the reason: an HTTP status, or one of WhatsApp's. */
  readonly status: number;
  readonly message: string;
  /** Whether the account was already linked at that time. */
  readonly isLinked: boolean;
  /** As returned by `ServerErrors`. */
  readonly serverErrors: ServerErrorRun;
}

/** Consecutive ends with error 500. */
interface ServerErrorRun {
  readonly count: number;
  /** From the first to the last of them. */
  readonly durationMs: number;
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

/**
 * WhatsApp responds with 500 to keys that it cannot use any more, but also to all accounts while it has a fault, and
 * the library reports a stream error without a code as 500. Deleted keys can only be replaced by scanning a QR code,
 * for each account. Attempts with useless keys cost nothing, so the keys are deleted only when 500 has lasted longer
 * than faults of the service do. whatsmeow never deletes them for 500.
 */
const SERVER_ERRORS: ServerErrorRun = { count: 3, durationMs: 24 * 3_600_000 };
/** Unlinked (401), locked (403), banned (406), or not enrolled (411). */
const UNAUTHORIZED: ReadonlySet<number> = new Set([401, 403, 406, 411]);
/** The message of a connection whose last QR code has expired; the same as the library's. */
export const QR_ENDED = "QR refs attempts ended";

/** What to do after a connection has closed (baileys, `DisconnectReason`; whatsmeow, `connectfailure`). */
export function consequenceOf({ status, message, isLinked, serverErrors }: Closing): Consequence {
  if (message.startsWith(QR_ENDED)) return "qridle";
  if (status === 515) return "restart";
  if (!isLinked) return "reconnect";
  // Only WhatsApp's own messages count, because a proxy may also respond with 401 or 403.
  if (!saidByWhatsApp(message)) return "reconnect";
  if (status === 440) return "openelsewhere";
  if (UNAUTHORIZED.has(status)) return "unauthorized";
  if (status === 405) return "outdated";
  return status === 500 && isLasting(serverErrors) ? "unauthorized" : "reconnect";
}

function isLasting({ count, durationMs }: ServerErrorRun): boolean {
  return count >= SERVER_ERRORS.count && durationMs >= SERVER_ERRORS.durationMs;
}

/** Finds runs of ends with error 500. An open connection or any other end interrupts a run. */
export class ServerErrors {
  #count = 0;
  #since = 0;

  /** Call with each end. `openMs`: how long the connection was open. `now`: milliseconds. */
  add(
    { status, message, openMs }: Pick<Closing, "status" | "message"> & { readonly openMs: number },
    now: number = performance.now(),
  ): ServerErrorRun {
    const isError = status === 500 && saidByWhatsApp(message);
    // An open connection proves that WhatsApp accepts the keys.
    if (!isError || openMs > 0) this.#count = 0;
    if (!isError) return { count: 0, durationMs: 0 };
    if (this.#count === 0) this.#since = now;
    this.#count += 1;
    return { count: this.#count, durationMs: now - this.#since };
  }
}

/** The library's messages for `<failure>`, `<stream:error>` and a device that is not enrolled. */
function saidByWhatsApp(message: string): boolean {
  return /^(Connection Failure|Stream Errored|Multi-device beta)/.test(message);
}
