import { type TSchema, Type } from "typebox";
import { AppError, type ErrorCode } from "../errors.ts";

/** Maximum entities in one request. */
const MAX_ENTITIES = 100;
/** Maximum length of an employee's id in a message, a page link, a contact or a deal. */
export const MAX_USER_ID_LENGTH = 255;
/** Entities per page, in lists that have pages. */
export const PAGE_SIZE = 100;

/** The entities of one page, and their total number. */
export interface Page<T> {
  readonly count: number;
  readonly data: readonly T[];
}

/** An invalid entity of a request: its index and the paths of the errors; no paths if it is not an entity at all. */
export interface EntityFault {
  readonly index: number;
  readonly fields: readonly string[];
}

const PRINTABLE = "^[^\\u0000-\\u001f\\u007f]+$";

/** An id assigned by the CRM. */
export function idText(maxLength: number) {
  return Type.String({ maxLength, pattern: PRINTABLE });
}

/** The same in requests: some CRMs use numeric ids, and an integer is converted to its digits. */
export function idOrNumber(maxLength: number, options: { readonly description?: string } = {}) {
  return Type.Unsafe<string>({
    type: ["string", "integer"],
    maxLength,
    pattern: PRINTABLE,
    // Beyond these, a number has lost digits during parsing.
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    ...options,
  });
}

/** A list of entities, as many as a request may carry. */
export function entities<T extends TSchema>(entity: T) {
  return Type.Array(entity, { maxItems: MAX_ENTITIES });
}

/** Throws the code with all invalid entities, if there are any; then nothing of the request may be stored. */
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

/** One entity per id: if a request contains an id twice, the last one counts. */
export function deduplicateById<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

/** The requested ids that were not found, each once, in the order of the request. */
export function missingOf(asked: readonly string[], found: readonly { readonly id: string }[]): string[] {
  const known = new Set(found.map(({ id }) => id));
  return [...new Set(asked)].filter((id) => !known.has(id));
}
