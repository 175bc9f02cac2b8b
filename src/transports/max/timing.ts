import type { ClientTiming } from "./client.ts";

/** How long things take; tests shorten it. */
export interface Timing extends ClientTiming {
  /** Nobody scans for so long: the channel stops showing codes. */
  readonly qrIdleMs: number;
  /** The password is awaited for so long. */
  readonly passwordMs: number;
  /** Shortest pause between two questions whether the code was scanned. */
  readonly pollMs: number;
  /** A file that MAX still works on is asked for again after so long, until `readyMs` are over. */
  readonly readyAgainMs: number;
  readonly readyMs: number;
  readonly firstPauseMs: number;
}

/** `pingMs` is exactly what the web client does. */
export const TIMING: Timing = {
  pingMs: 30_000,
  silentMs: 45_000,
  callMs: 30_000,
  connectMs: 20_000,
  qrIdleMs: 5 * 60_000,
  passwordMs: 10 * 60_000,
  pollMs: 1_000,
  readyAgainMs: 2_000,
  readyMs: 60_000,
  firstPauseMs: 1_000,
};
