import { AppError, type ErrorCode } from "../core/errors.ts";
import { isUuid } from "../platform/ids.ts";

/** An id from a path. What cannot be an id answers like an id that nobody has. */
export function idFromPath(id: string, missing: ErrorCode): string {
  if (!isUuid(id)) throw new AppError(missing);
  return id.toLowerCase();
}
