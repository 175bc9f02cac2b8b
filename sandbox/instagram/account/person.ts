/** A person on Instagram. Each account knows them by a separate id, the Instagram-scoped id. */
export interface Person {
  readonly id: string;
  username: string;
  name: string;
}
