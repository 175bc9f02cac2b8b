const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * An ISO 8601 date or time; UTC if it has no zone, at most milliseconds. Null if it is invalid, such as the 30th of
 * February. The zone's colon may be missing: PHP and Python write it so.
 */
export function parseTime(text: string): Date | null {
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] =
    TIME.exec(text) ?? [];
  if (year === undefined) return null;
  const date = `${year}-${month}-${day}`;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return null;
  const milliseconds = fraction.slice(0, 3).padEnd(3, "0");
  const time = new Date(`${date}T${hour}:${minute}:${second}.${milliseconds}${withColon(zone)}`);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** `+0300` and `+03` as `+03:00`: `Date` need not accept the others. */
function withColon(zone: string): string {
  return zone.replace(
    /^(.\d{2}):?(\d{2})?$/,
    (_zone, hours: string, minutes = "00") => `${hours}:${minutes}`,
  );
}
