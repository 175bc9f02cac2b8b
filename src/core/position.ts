import { isUuid } from "../platform/ids.ts";
import { AppError } from "./errors.ts";

/** A position in a list sorted by time and id. `at`: Unix microseconds, below 2^53. */
export interface Position {
  readonly at: number;
  readonly id: string;
}

/** After every chat and message. */
export const END: Position = { at: 4_102_444_800_000_000, id: "ffffffff-ffff-ffff-ffff-ffffffffffff" };

/** The form in which pages get a position. Pure. */
export function cursorOf({ at, id }: Position): string {
  return `${at.toString(36)}_${id}`;
}

/** The inverse of `cursorOf`. Throws VALIDATION_ERROR, naming `field`, for any other text. */
export function positionOf(cursor: string, field: string): Position {
  const [at = "", id = ""] = cursor.split("_");
  const position = { at: /^[0-9a-z]{1,11}$/.test(at) ? Number.parseInt(at, 36) : Number.NaN, id };
  if (Number.isSafeInteger(position.at) && isUuid(id)) return position;
  throw new AppError("VALIDATION_ERROR", {
    data: { fields: [{ field, message: "must be a cursor from an earlier response" }] },
  });
}
