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
    title: {
      en: "Too many requests (429)",
      ru: "Слишком много запросов (429)",
      es: "Demasiadas peticiones (429)",
      "pt-BR": "Requisições demais (429)",
    },
  },
  slow: {
    name: "slow",
    title: {
      en: "Answers take 3 seconds",
      ru: "Ответы идут 3 секунды",
      es: "Las respuestas tardan 3 segundos",
      "pt-BR": "As respostas levam 3 segundos",
    },
  },
  broken: {
    name: "broken",
    title: {
      en: "Server errors (502)",
      ru: "Ошибки сервера (502)",
      es: "Errores del servidor (502)",
      "pt-BR": "Erros do servidor (502)",
    },
  },
  drop: {
    name: "drop",
    title: {
      en: "The line breaks before anything is done",
      ru: "Связь рвётся до выполнения",
      es: "La conexión se corta antes de hacer nada",
      "pt-BR": "A conexão cai antes de fazer algo",
    },
  },
  lost: {
    name: "lost",
    title: {
      en: "It is done, but the answer is lost",
      ru: "Выполняется, но ответ теряется",
      es: "Se hace, pero la respuesta se pierde",
      "pt-BR": "É feito, mas a resposta se perde",
    },
  },
  silent: {
    name: "silent",
    title: {
      en: "No answer at all",
      ru: "Ответа нет совсем",
      es: "Ninguna respuesta",
      "pt-BR": "Nenhuma resposta",
    },
  },
  revoke: {
    name: "revoke",
    title: {
      en: "Revoke the token",
      ru: "Отозвать токен",
      es: "Revocar el token",
      "pt-BR": "Revogar o token",
    },
  },
  ban: {
    name: "ban",
    title: {
      en: "Ban the account",
      ru: "Заблокировать аккаунт",
      es: "Bloquear la cuenta",
      "pt-BR": "Banir a conta",
    },
  },
  restrict: {
    name: "restrict",
    title: {
      en: "The account may only answer",
      ru: "Аккаунт может только отвечать",
      es: "La cuenta solo puede responder",
      "pt-BR": "A conta só pode responder",
    },
  },
  cut: {
    name: "cut",
    title: {
      en: "Cut the line once",
      ru: "Оборвать связь один раз",
      es: "Cortar la conexión una vez",
      "pt-BR": "Cortar a conexão uma vez",
    },
  },
  freeze: {
    name: "freeze",
    title: {
      en: "The line goes silent",
      ru: "Связь молчит",
      es: "La conexión enmudece",
      "pt-BR": "A conexão fica muda",
    },
  },
  replaced: {
    name: "replaced",
    title: {
      en: "Log in elsewhere",
      ru: "Вход в другом месте",
      es: "Entrar en otro lugar",
      "pt-BR": "Entrar em outro lugar",
    },
  },
} as const;
