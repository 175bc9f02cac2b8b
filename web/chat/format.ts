import { locale } from "../kit/i18n.ts";

const formats = new Map<string, Intl.DateTimeFormat>();
/** A format of the page's language; each is made once. */
export function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale.value} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale.value, options);
  formats.set(key, known);
  return known;
}

const DAY_MS = 86_400_000;
/** Whole days between the days of `time` and `now`, in the reader's time zone. */
function daysAgo(time: number, now: number): number {
  const midnight = (of: number) => new Date(of).setHours(0, 0, 0, 0);
  return Math.round((midnight(now) - midnight(time)) / DAY_MS);
}

/** 12:41 */
export function clockTime(time: number): string {
  return formatOf({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(time);
}

/** Today, Yesterday, Friday, 5 May, 5 May 2024 */
export function dayName(time: number, now: number): string {
  const ago = daysAgo(time, now);
  if (ago === 0 || ago === 1) return capital(relative().format(-ago, "day"));
  if (ago > 1 && ago < 7) return capital(formatOf({ weekday: "long" }).format(time));
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return formatOf({ day: "numeric", month: "long", ...(sameYear ? {} : { year: "numeric" }) }).format(time);
}

/** For a narrow column: 12:41 today, else Fri, 5 May or 05/05/2024. */
export function shortTime(time: number, now: number): string {
  const ago = daysAgo(time, now);
  if (ago <= 0) return clockTime(time);
  if (ago < 7) return formatOf({ weekday: "short" }).format(time);
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return formatOf(sameYear ? { day: "numeric", month: "short" } : { dateStyle: "short" }).format(time);
}

/** Full date and time, for tooltips and assistive technology. */
export function fullTime(time: number): string {
  return formatOf({ dateStyle: "long", timeStyle: "short" }).format(time);
}

function relative(): Intl.RelativeTimeFormat {
  return new Intl.RelativeTimeFormat(locale.value, { numeric: "auto" });
}
const capital = (text: string) => text.charAt(0).toLocaleUpperCase(locale.value) + text.slice(1);

const UNITS = ["B", "KB", "MB", "GB"] as const;
const UNITS_RU = ["Б", "КБ", "МБ", "ГБ"] as const;
/** 1.2 MB: decimal units, one decimal below ten. */
export function fileSize(bytes: number): string {
  const power = Math.min(3, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  const digits = { maximumFractionDigits: power > 0 && value < 10 ? 1 : 0 };
  const unit = (locale.value === "ru" ? UNITS_RU : UNITS)[power] ?? "";
  return `${new Intl.NumberFormat(locale.value, digits).format(value)} ${unit}`;
}

/** 0:14, 61:05 */
export function duration(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.round(seconds)) : 0;
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
