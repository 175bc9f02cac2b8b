const YEARS_AHEAD_MS = 10 * 366 * 86_400_000;
/** Larger values are milliseconds. */
const MILLISECONDS_FROM = 1e11;

/**
 * Parses when a messenger ends a restriction: Unix seconds, or mistakenly milliseconds, as a number or a string. Null
 * if it is missing or implausible. Pure.
 */
export function endOfRestriction(value: unknown, nowMs: number = Date.now()): Date | null {
  const given = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof given !== "number" || !(given > 0)) return null;
  const ms = given >= MILLISECONDS_FROM ? given : given * 1000;
  return ms <= nowMs + YEARS_AHEAD_MS ? new Date(ms) : null;
}
