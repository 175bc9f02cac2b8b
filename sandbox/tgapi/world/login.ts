/** The token of a QR code. */
export interface LoginToken {
  readonly token: Buffer;
  /** The key of the client that shows it. */
  keyId: string;
  /** Unix seconds. */
  readonly expires: number;
  readonly exceptIds: readonly number[];
  /** The account that scanned it. */
  userId: number | undefined;
}

/** A login by phone number and code. */
export interface CodeLogin {
  readonly phone: string;
  readonly hash: string;
  readonly code: string;
  readonly keyId: string;
  /** Unix seconds. */
  readonly expires: number;
}
