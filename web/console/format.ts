import { locale } from "../kit/i18n.ts";

/** Today only the time, otherwise also the date. */
export function timeText(iso: string): string {
  const at = new Date(iso);
  const isToday = at.toDateString() === new Date().toDateString();
  const day = isToday ? {} : ({ day: "numeric", month: "short" } as const);
  return new Intl.DateTimeFormat(locale.value, {
    ...day,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hour12: false,
  }).format(at);
}

/** With the date and the time zone. */
export function zonedTimeText(iso: string): string {
  return new Intl.DateTimeFormat(locale.value, {
    ...({ day: "numeric", month: "short" } as const),
    ...({ hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" } as const),
    hour12: false,
  }).format(new Date(iso));
}

/** The browser's time zone at that time, such as `GMT+3`. */
export function zoneText(at: string): string {
  const parts = new Intl.DateTimeFormat(locale.value, { timeZoneName: "short" }).formatToParts(new Date(at));
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** To the millisecond, with the date and the time zone. */
export function exactTimeText(iso: string): string {
  return new Intl.DateTimeFormat(locale.value, {
    ...({ day: "numeric", month: "short", year: "numeric" } as const),
    ...({ hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 } as const),
    timeZoneName: "short",
    hour12: false,
  }).format(new Date(iso));
}

/** Only the time, to the millisecond. */
export function clockText(iso: string): string {
  return new Intl.DateTimeFormat(locale.value, {
    ...({ hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 } as const),
    hour12: false,
  }).format(new Date(iso));
}

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
] as const;
const RU: Readonly<Record<string, string>> = { d: "д", h: "ч", min: "мин", s: "с", ms: "мс" };

/** `350 ms`, `4.2 s`, `3 min`, `5 h`, `2 d`. */
export function durationText(ms: number): string {
  const say = (amount: number, unit: string): string =>
    `${numberText(amount)} ${locale.value === "ru" ? (RU[unit] ?? unit) : unit}`;
  if (ms < 1_000) return say(Math.max(0, Math.round(ms)), "ms");
  const seconds = ms / 1_000;
  for (const [unit, size] of UNITS) if (seconds >= size) return say(Math.floor(seconds / size), unit);
  return say(Math.round(seconds * 10) / 10, "s");
}

export function agoText(iso: string): string {
  return durationText(Date.now() - Date.parse(iso));
}

export function numberText(value: number): string {
  return new Intl.NumberFormat(locale.value).format(value);
}

export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  const digits = value < 10 && unit > 0 ? 1 : 0;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false };
  return `${new Intl.NumberFormat(locale.value, options).format(value)} ${units[unit]}`;
}

/** A quoted word for a shell, whatever its content. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
