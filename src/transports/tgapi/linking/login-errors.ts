import { LoginRefused } from "../../../core/transport/errors.ts";
import type { LoginStepKind } from "../../../core/transport/login.ts";
import { refusalIn, secondsToWait } from "../errors.ts";

/** Errors caused by invalid input (core.telegram.org/method/auth.sendCode, auth.signIn and auth.checkPassword). */
const WRONG: Readonly<Record<string, string>> = {
  PHONE_NUMBER_INVALID: "must be the number of a Telegram account, with its country code",
  PHONE_NUMBER_UNOCCUPIED: "must be the number of a Telegram account, with its country code",
  PHONE_NUMBER_BANNED: "is banned by Telegram",
  PHONE_CODE_INVALID: "The code is wrong",
  PHONE_CODE_EMPTY: "The code is wrong",
  PHONE_CODE_EXPIRED: "The code has expired; request another one",
  PASSWORD_HASH_INVALID: "The two-factor password is wrong",
};

const TOO_OFTEN = ["PHONE_NUMBER_FLOOD", "PHONE_PASSWORD_FLOOD", "PASSWORD_TOO_FRESH"];

/** Why a login step was refused. `hint` is the owner's password hint. Pure. */
export function toRefusedStep(
  error: unknown,
  { kind, hint }: { readonly kind: LoginStepKind; readonly hint: string },
): LoginRefused {
  if (error instanceof LoginRefused) return error;
  const refusal = refusalIn(error);
  const cause = { cause: error };
  if (refusal === null) return new LoginRefused("unavailable", "Telegram did not respond", cause);
  const wrong = WRONG[refusal.text];
  if (wrong !== undefined) {
    const words = kind === "password" && hint !== "" ? `${wrong} (hint: ${hint})` : wrong;
    return new LoginRefused("wrong", words, cause);
  }
  if (secondsToWait(refusal) !== null || TOO_OFTEN.includes(refusal.text))
    return new LoginRefused("too_often", "Telegram requires a delay before the next attempt", cause);
  return new LoginRefused("unavailable", `Telegram refused (${refusal.text})`, cause);
}
