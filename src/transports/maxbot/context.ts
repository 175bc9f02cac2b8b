/** A bot, as returned by `GET /me`. */
export interface Self {
  readonly id: string;
  readonly name: string;
}

export interface InboundContext {
  /** The bot itself; its own messages are ignored. */
  readonly self: Self;
  /** Used for times that MAX does not report. */
  readonly now: Date;
  /** The title of a group; "" if it is unknown. */
  readonly titleOf: (chatId: string) => string;
}
