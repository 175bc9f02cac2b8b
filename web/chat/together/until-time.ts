import { formatOf } from "../format.ts";

/** When a snooze ends: the day of the week and the date, without the year, which is the present or the next one. */
export function untilTime(time: number): string {
  const day = { weekday: "short", day: "numeric", month: "short" } as const;
  return formatOf({ ...day, hour: "numeric", minute: "2-digit" }).format(time);
}
