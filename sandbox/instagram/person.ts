/** Somebody on Instagram. Accounts know them by a number of their own, the Instagram-scoped id. */
export interface Person {
  readonly id: string;
  username: string;
  name: string;
}
