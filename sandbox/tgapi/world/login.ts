/** The token of a QR code. */
export interface LoginToken {
  readonly token: Buffer;
  /** The key of the client that shows it. */
  keyId: string;
  /** Seconds since 1970. */
  readonly expires: number;
  readonly exceptIds: readonly number[];
  /** Who has scanned it. */
  userId: number | undefined;
}

/** A login by phone number and code. */
export interface CodeLogin {
  readonly phone: string;
  readonly hash: string;
  readonly code: string;
  readonly keyId: string;
  /** Seconds since 1970. */
  readonly expires: number;
}
