/**
 * The trace of a message: its id without dashes. Every node thereby knows it, and so does whoever knows the message. The
 * last 7 bytes are random, as W3C Trace Context asks of ids that are sampled by their value.
 */
export function traceIdOf(messageId: string): string {
  return messageId.replaceAll("-", "").toLowerCase();
}

/** The span of a message that all others of its trace are below: the last 8 bytes of the message's id. */
export function rootSpanIdOf(messageId: string): string {
  return traceIdOf(messageId).slice(-16);
}

const HOUR_MS = 3_600_000;

/**
 * When a message was accepted, as far as its id says (`newId`), in milliseconds of Unix time. Null: the id was derived from
 * a request, and says only the hour.
 */
export function acceptedAtOf(messageId: string): number | null {
  const ms = Number.parseInt(traceIdOf(messageId).slice(0, 12), 16);
  return ms % HOUR_MS === 0 ? null : ms;
}
