import { AppError, type ErrorCode } from "../../core/errors.ts";
import { isUuid } from "../../platform/ids.ts";

/** An id from a path. An invalid id returns the same response as an unknown one. */
export function idFromPath(id: string, missing: ErrorCode): string {
  if (!isUuid(id)) throw new AppError(missing);
  return id.toLowerCase();
}
