import { AppError } from "../../../core/errors.ts";
import { type Position, positionOf } from "../../../core/position.ts";
import { parseTime } from "../../schema/time.ts";

const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const LAST_YEAR = 2100;

/** A cursor or a time as a position. What is stored at the given time is on neither side. */
export function boundOf(given: string, field: "before" | "after"): Position {
  const time = parseTime(given);
  if (time === null) return positionOf(given, field);
  const year = time.getUTCFullYear();
  if (year < 1970 || year >= LAST_YEAR)
    throw new AppError("VALIDATION_ERROR", {
      data: { fields: [{ field, message: `must lie between 1970 and ${LAST_YEAR}` }] },
    });
  return { at: time.getTime() * 1_000, id: field === "before" ? FIRST_ID : LAST_ID };
}
