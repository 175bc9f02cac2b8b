/** The limits of a body. */
export interface BodyLimit {
  /** As received, in UTF-8. */
  readonly bytes: number;
  /**
   * Objects, lists, texts, numbers, true, false and null, at any depth; bodies with more are rejected before they are
   * parsed.
   */
  readonly values: number;
}

/**
 * Chosen by what a route can need. Parsing and validating the most expensive body of each takes a few milliseconds of
 * the thread that serves all accounts.
 */
export const BODY_LIMITS = {
  usual: { bytes: 64 * 1_024, values: 5_000 },
  /** A hundred addresses, or the chats of a page, with every character escaped. */
  list: { bytes: 256 * 1_024, values: 5_000 },
  /** The longest text of any messenger, with every character escaped. */
  message: { bytes: 512 * 1_024, values: 5_000 },
  /** A hundred entities. */
  entities: { bytes: 1_024 * 1_024, values: 20_000 },
} satisfies Record<string, BodyLimit>;
export type BodyKind = keyof typeof BODY_LIMITS;

export function bodyLimitOf(config: { readonly body?: BodyKind } | undefined): BodyLimit {
  return BODY_LIMITS[config?.body ?? "usual"];
}
