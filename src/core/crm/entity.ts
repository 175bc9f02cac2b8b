import { type TSchema, Type } from "typebox";
import { AppError, type ErrorCode } from "../errors.ts";

/** At most this many entities in one request. */
const MAX_ENTITIES = 100;
/** Entities of a page, where they are listed in pages. */
export const PAGE_SIZE = 100;

/** Entities of one page, with how many there are in all. */
export interface Page<T> {
  readonly count: number;
  readonly data: readonly T[];
}

/** A faulty entity of a request: its place and the paths of what is wrong; none when it is no entity at all. */
export interface EntityFault {
  readonly index: number;
  readonly fields: readonly string[];
}

const PRINTABLE = "^[^\\u0000-\\u001f\\u007f]+$";

/** An id as the CRM gave it. */
export function idText(maxLength: number) {
  return Type.String({ maxLength, pattern: PRINTABLE });
}

/** The same in requests: some CRMs number what they have, and a whole number is taken for its digits before it is used. */
export function idOrNumber(maxLength: number, options: { readonly description?: string } = {}) {
  return Type.Unsafe<string>({
    type: ["string", "integer"],
    maxLength,
    pattern: PRINTABLE,
    // Beyond these a number has lost digits while it was parsed.
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    ...options,
  });
}

/** As many of them as a request may carry. */
export function entities<T extends TSchema>(entity: T) {
  return Type.Array(entity, { maxItems: MAX_ENTITIES });
}

/** Throws the code with all faulty entities, when there are any; then nothing of the request may be stored. */
export function refuseFaulty<T>(
  code: ErrorCode,
  items: readonly T[],
  faultsOf: (item: T) => readonly string[],
): void {
  const faults: EntityFault[] = items
    .map((item, index) => ({ index, fields: faultsOf(item) }))
    .filter(({ fields }) => fields.length > 0);
  if (faults.length > 0) throw new AppError(code, { data: faults });
}

/** One entity for each id: of one that a request names twice, what was said last counts. */
export function lastOfEach<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

/** Asked ids that are not among the found, each once, in the order of the request. */
export function missingOf(asked: readonly string[], found: readonly { readonly id: string }[]): string[] {
  const known = new Set(found.map(({ id }) => id));
  return [...new Set(asked)].filter((id) => !known.has(id));
}
