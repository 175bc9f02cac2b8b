const DAY_MS = 86_400_000;
/** Before there was any messenger. */
const FIRST_MS = Date.UTC(2000, 0);
/** No time in seconds reaches it for thousands of years, no time in milliseconds was below it since 1973. */
const MILLISECONDS_FROM = 1e11;

/**
 * A time as messengers write it: Unix seconds, by mistake milliseconds, as a number or in a text. What cannot be a time
 * of theirs (missing, before 2000, more than a day ahead) becomes `now`, the best that is known.
 */
export function dateFromUnix(value: unknown, now: Date = new Date()): Date {
  const given = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof given !== "number") return now;
  const ms = given >= MILLISECONDS_FROM ? given : given * 1000;
  return soundDate(new Date(ms), now);
}

/** The date itself where it can be the time of something that happened; else `now`. */
export function soundDate(date: Date, now: Date = new Date()): Date {
  const ms = date instanceof Date ? date.getTime() : Number.NaN;
  return ms >= FIRST_MS && ms <= now.getTime() + DAY_MS ? date : now;
}
