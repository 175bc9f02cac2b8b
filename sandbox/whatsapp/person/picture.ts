/** A profile picture: its number grows with each change. */
export interface Picture {
  readonly id: string;
  readonly url: string;
  readonly directPath: string;
}
