/** Settings of the whole emulator that a test may change. Times are in seconds. */
export interface Settings {
  /** Validity of the token in a QR code. */
  tokenSeconds: number;
  /** Validity of a login code. */
  codeSeconds: number;
  /** How long the server keeps a session without a connection. */
  sessionSeconds: number;
  /** Maximum updates waiting for a session; beyond it, they are replaced by `updatesTooLong`. */
  queuedUpdates: number;
  /** Maximum changes in a response to `getDifference`. */
  differenceSlice: number;
  /** For a larger gap, `differenceTooLong` is returned. */
  differenceLimit: number;
  /** Validity of a file reference. */
  fileReferenceSeconds: number;
  /** Downloads are redirected to a CDN, for clients that allow it. */
  cdn: boolean;
  /** Seed of updates and fields that hardly any client reads; 0: none. See `Novelty`. */
  novelty: number;
}

export const defaultSettings: Readonly<Settings> = {
  tokenSeconds: 30,
  codeSeconds: 300,
  sessionSeconds: 300,
  queuedUpdates: 200,
  differenceSlice: 100,
  differenceLimit: 50_000,
  fileReferenceSeconds: 3600,
  cdn: false,
  novelty: 0,
};
