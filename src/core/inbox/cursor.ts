import { isUuid } from "../../platform/ids.ts";
import { AppError } from "../errors.ts";

/** A place in a list that is sorted by a moment and an id. `at` in microseconds of Unix time, below 2^53. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** Behind every chat and message. */
export const END: Place = { at: 4_102_444_800_000_000, id: "ffffffff-ffff-ffff-ffff-ffffffffffff" };

/** As a page gets it. Pure, like the other. */
export function cursorOf({ at, id }: Place): string {
  return `${at.toString(36)}_${id}`;
}

/** Throws VALIDATION_ERROR for what never was one; `field` names where it stood. */
export function placeOf(cursor: string, field: string): Place {
  const [at = "", id = ""] = cursor.split("_");
  const place = { at: /^[0-9a-z]{1,11}$/.test(at) ? Number.parseInt(at, 36) : Number.NaN, id };
  if (Number.isSafeInteger(place.at) && isUuid(id)) return place;
  throw new AppError("VALIDATION_ERROR", { data: { fields: [{ field, message: "must be one of ours" }] } });
}
