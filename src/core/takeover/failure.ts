/** The takeover cannot go on; the message states why, for the operator. */
export class TakeoverFailed extends Error {
  override readonly name = "TakeoverFailed";
}
