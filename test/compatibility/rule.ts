/** A promise to clients, and the tests that verify it. */
export interface Rule {
  /** Such as D13 (a decision) or a short name. */
  readonly id: string;
  readonly says: string;
  /** Titles of tests, or names of their cases, by file. */
  readonly proof: Readonly<Record<string, readonly string[]>>;
}

export interface Chapter {
  readonly title: string;
  readonly rules: readonly Rule[];
}
