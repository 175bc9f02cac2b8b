/** How long things take; tests shorten it. */
export interface Timing {
  /** A new QR code is asked for when Telegram's has run out, but after so long at the latest. */
  readonly qrMs: number;
  /** So many codes in a row that nobody scans end the attempt. */
  readonly qrCodes: number;
  /** A code or password is awaited for so long. */
  readonly secretMs: number;
  /** How often a sign of life is asked for. */
  readonly pingMs: number;
  /** What Telegram does not answer within so long it does not answer. */
  readonly callMs: number;
  /** What was asked over a line that was lost is answered over the next one within so long, or not at all. */
  readonly lostMs: number;
  readonly firstPauseMs: number;
  /** Attempts to connect are not held back as those of a phone are. */
  readonly isHasty: boolean;
}

export const TIMING: Timing = {
  qrMs: 30_000,
  qrCodes: 10,
  secretMs: 15 * 60_000,
  pingMs: 30_000,
  callMs: 30_000,
  lostMs: 3_000,
  firstPauseMs: 1_000,
  isHasty: false,
};
