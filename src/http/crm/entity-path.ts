import { Type } from "typebox";
import { AppError, type ErrorCode } from "../../core/errors.ts";
import { patterned } from "../schema/shapes.ts";

/** `{id}` of an entity of the CRM in a path. */
export const entityPath = Type.Object({ id: Type.String({ description: "Id in the CRM" }) });

/** The start of a page. */
export const pageQuery = Type.Object({
  /** How many to skip; 0 if empty. */
  offset: Type.Optional(patterned("wholeNumber")),
});

export function offsetOf({ offset = "" }: { readonly offset?: string }): number {
  return Number(offset);
}

/** An invalid id returns the same response as an unknown one. */
export function entityId(id: string, missing: ErrorCode): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no id has any
  if (/[\u0000-\u001f\u007f]/.test(id)) throw new AppError(missing);
  return id;
}
