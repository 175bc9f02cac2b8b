import type { ClientTiming } from "./line/client.ts";

/** Intervals and limits; tests use shorter ones. */
export interface Timing extends ClientTiming {
  /** If nobody scans for this long, the channel stops showing codes. */
  readonly qrIdleMs: number;
  /** The minimum interval between codes. */
  readonly qrLeastMs: number;
  /** How long a password is awaited. */
  readonly passwordMs: number;
  /** The minimum interval between checks whether the code was scanned. */
  readonly pollMs: number;
  /** The interval between retries while MAX processes a file. */
  readonly readyAgainMs: number;
  /** A send gives up when this has passed since its start, and `readyLeastMs` since the end of its upload. */
  readonly readyMs: number;
  readonly readyLeastMs: number;
  /** Between two requests for parts of the history. */
  readonly historyPauseMs: number;
  readonly firstPauseMs: number;
}

/** `pingMs` is the web client's value. */
export const TIMING: Timing = {
  pingMs: 30_000,
  silentMs: 45_000,
  callMs: 30_000,
  connectMs: 20_000,
  qrIdleMs: 5 * 60_000,
  qrLeastMs: 5_000,
  passwordMs: 10 * 60_000,
  pollMs: 1_000,
  readyAgainMs: 2_000,
  readyMs: 40_000,
  readyLeastMs: 15_000,
  historyPauseMs: 1_500,
  firstPauseMs: 1_000,
};
