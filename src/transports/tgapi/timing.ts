/** Intervals and limits; tests use shorter ones. */
export interface Timing {
  /** The maximum time that a QR code is shown, if Telegram's validity is longer. */
  readonly qrMs: number;
  /** The attempt ends after this many codes in a row without a scan. */
  readonly qrCodes: number;
  /** How long a code or password is awaited. */
  readonly secretMs: number;
  /** The ping interval. */
  readonly pingMs: number;
  /** The time limit for a response. */
  readonly callMs: number;
  /** How long requests made over a lost connection may still be answered over the next one. */
  readonly lostMs: number;
  /** Between two requests for parts of the history. */
  readonly historyPauseMs: number;
  readonly firstPauseMs: number;
  /** Disables the library's delays between connection attempts. */
  readonly isHasty: boolean;
}

export const TIMING: Timing = {
  qrMs: 30_000,
  qrCodes: 10,
  secretMs: 15 * 60_000,
  pingMs: 30_000,
  callMs: 30_000,
  lostMs: 3_000,
  historyPauseMs: 1_500,
  firstPauseMs: 1_000,
  isHasty: false,
};
