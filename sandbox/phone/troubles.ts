import type { Seat, TroubleSetup } from "./phone.ts";

/** Never used up. */
const ALWAYS = 1_000_000;

/** The troubles of every messenger with an HTTP API. `limit` is its own form of "too many requests". */
export function httpTroubles(
  limit: object,
  scope: (seat: Seat) => object = () => ({}),
): readonly TroubleSetup[] {
  const fault = (effect: object) => (seat: Seat) => ({ ...scope(seat), ...effect, times: ALWAYS });
  return [
    { ...TITLES.limit, lasts: "switch", fault: fault(limit) },
    { ...TITLES.slow, lasts: "switch", fault: fault({ hang_ms: 3_000 }) },
    { ...TITLES.broken, lasts: "switch", fault: fault({ http_status: 502, http_body: "Bad Gateway" }) },
    { ...TITLES.drop, lasts: "switch", fault: fault({ drop: "before" }) },
    { ...TITLES.lost, lasts: "switch", fault: fault({ drop: "after" }) },
  ];
}

/** Titles that several messengers share. */
export const TITLES = {
  limit: {
    name: "limit",
    title: { en: "Too many requests (429)", ru: "Слишком много запросов (429)" },
  },
  slow: { name: "slow", title: { en: "Answers take 3 seconds", ru: "Ответы идут 3 секунды" } },
  broken: { name: "broken", title: { en: "Server errors (502)", ru: "Ошибки сервера (502)" } },
  drop: {
    name: "drop",
    title: { en: "The line breaks before anything is done", ru: "Связь рвётся до выполнения" },
  },
  lost: {
    name: "lost",
    title: { en: "It is done, but the answer is lost", ru: "Выполняется, но ответ теряется" },
  },
  silent: { name: "silent", title: { en: "No answer at all", ru: "Ответа нет совсем" } },
  revoke: { name: "revoke", title: { en: "Revoke the token", ru: "Отозвать токен" } },
  ban: { name: "ban", title: { en: "Ban the account", ru: "Заблокировать аккаунт" } },
  restrict: {
    name: "restrict",
    title: { en: "The account may only answer", ru: "Аккаунт может только отвечать" },
  },
  cut: { name: "cut", title: { en: "Cut the line once", ru: "Оборвать связь один раз" } },
  freeze: { name: "freeze", title: { en: "The line goes silent", ru: "Связь молчит" } },
  replaced: { name: "replaced", title: { en: "Log in elsewhere", ru: "Вход в другом месте" } },
} as const;
