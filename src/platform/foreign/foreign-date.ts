const DAY_MS = 86_400_000;
/** No messenger existed before this time. */
const FIRST_MS = Date.UTC(2000, 0);
/**
 * Values from here on are milliseconds: as seconds they would be thousands of years ahead, and as milliseconds they
 * are after 1973.
 */
const MILLISECONDS_FROM = 1e11;

/**
 * Parses a messenger's timestamp: Unix seconds, or mistakenly milliseconds, as a number or a string. An implausible
 * value (missing, before 2000, more than a day ahead) becomes `now`.
 */
export function dateFromUnix(value: unknown, now: Date = new Date()): Date {
  const given = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof given !== "number") return now;
  const ms = given >= MILLISECONDS_FROM ? given : given * 1000;
  return plausibleDate(new Date(ms), now);
}

/** Returns the date if it is a plausible time of an event; otherwise `now`. */
export function plausibleDate(date: Date, now: Date = new Date()): Date {
  const ms = date instanceof Date ? date.getTime() : Number.NaN;
  return ms >= FIRST_MS && ms <= now.getTime() + DAY_MS ? date : now;
}
