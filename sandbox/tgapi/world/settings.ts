/** What a test may change for everybody. Times are in seconds. */
export interface Settings {
  /** Life of the token in a QR code. */
  tokenSeconds: number;
  /** Life of a login code. */
  codeSeconds: number;
  /** How long the server keeps a session without a connection. */
  sessionSeconds: number;
  /** How many updates wait for a session before they are replaced by `updatesTooLong`. */
  queuedUpdates: number;
  /** Most changes in one answer to `getDifference`. */
  differenceSlice: number;
  /** A larger gap is answered with `differenceTooLong`. */
  differenceLimit: number;
  /** Life of a file reference. */
  fileReferenceSeconds: number;
  /** Clients that allow it are sent to a CDN for downloads. */
  cdn: boolean;
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
};
