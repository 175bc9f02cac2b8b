import { Type } from "typebox";
import { AppError, type ErrorCode } from "../../core/errors.ts";
import { patterned } from "../shapes.ts";

/** `{id}` of an entity of the CRM in a path. */
export const entityPath = Type.Object({ id: Type.String({ description: "Id in the CRM" }) });

/** Where a page begins. */
export const pageQuery = Type.Object({
  /** How many to leave out from the beginning; 0 when empty. */
  offset: Type.Optional(patterned("wholeNumber")),
});

export function offsetOf({ offset = "" }: { readonly offset?: string }): number {
  return Number(offset);
}

/** What cannot be an id answers like an id that nobody has. */
export function entityId(id: string, missing: ErrorCode): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no id has any
  if (/[\u0000-\u001f\u007f]/.test(id)) throw new AppError(missing);
  return id;
}
