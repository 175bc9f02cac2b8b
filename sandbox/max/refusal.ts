/**
 * An error of the platform: clients decide by the code `error`; `message` is a technical text. Codes are those known
 * to the Android app and PyMax; docs/sandbox/max.md names the cases for which none is known.
 */
export class Refusal extends Error {
  readonly code: string;
  readonly localized: string;

  constructor(code: string, message: string, localized = message) {
    super(message);
    this.code = code;
    this.localized = localized;
  }

  /** The payload of the error frame. */
  get payload(): Readonly<Record<string, unknown>> {
    return {
      error: this.code,
      message: this.message,
      localizedMessage: this.localized,
      title: this.localized,
    };
  }
}

/** An unknown field, a missing one, or one of another type. */
export function badPayload(message: string): Refusal {
  return new Refusal("proto.payload", message, "Ошибка в данных запроса");
}

export function unknownOpcode(opcode: number): Refusal {
  return new Refusal("proto.opcode", `unknown opcode ${opcode}`, "Неизвестная команда");
}

/** The request is not allowed before SESSION_INIT. */
export function noHandshake(): Refusal {
  return new Refusal("proto.state", "SESSION_INIT expected", "Сессия не начата");
}

/** The request is not allowed before LOGIN. */
export function notLoggedIn(): Refusal {
  return new Refusal("session.state", "LOGIN expected", "Необходимо войти");
}

/** `login.token`; `message` is the reason: FAIL_LOGIN_TOKEN, or FAIL_LOGOUT_ALL after all sessions were ended. */
export function badToken(message: "FAIL_LOGIN_TOKEN" | "FAIL_LOGOUT_ALL"): Refusal {
  return new Refusal("login.token", message, "Пожалуйста, авторизируйтесь снова");
}

export function profileBlocked(): Refusal {
  return new Refusal("login.blocked", "profile is blocked", "Профиль заблокирован");
}

export function internal(message: string): Refusal {
  return new Refusal("internal", message, "Внутренняя ошибка");
}

export function notFound(what: string): Refusal {
  return new Refusal("not.found", `${what} not found`, "Не найдено");
}

export function trackNotFound(): Refusal {
  return new Refusal("track.not.found", "track not found", "Срок действия истёк");
}

export function chatDenied(message: string): Refusal {
  return new Refusal("chat.denied", message, "Нет доступа к чату");
}

export function notReady(): Refusal {
  return new Refusal(
    "attachment.not.ready",
    "Key: errors.process.attachment.file.not.processed",
    "Файл обрабатывается",
  );
}

/** The account may not start conversations. */
export function restricted(): Refusal {
  return new Refusal("error.user.restricted", "the account is restricted", "Вы не можете писать первым");
}

export function tooMany(): Refusal {
  return new Refusal("too.many.requests", "too many requests", "Слишком много запросов, попробуйте позже");
}
