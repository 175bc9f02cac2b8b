import { AppError, type ErrorCode } from "../core/errors.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An id from a path. What cannot be an id answers like an id that nobody has. */
export function idFromPath(id: string, missing: ErrorCode): string {
  if (!UUID.test(id)) throw new AppError(missing);
  return id.toLowerCase();
}
