/** The account that a function may access. Every statement on tenant tables takes its account from here. */
export interface Scope {
  readonly accountId: number;
}
