import { type Queryable, sql } from "../../database/database.ts";
import { checkAttempt, giveBackAttempt, takeAttempt } from "../account/login-brake.ts";
import { NOBODYS_PASSWORD, verifyPassword } from "../account/password.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import { type HasPasswordTurns, inTurn } from "./password-turns.ts";
import { keyOf } from "./second-factor.ts";
import { type Origin, openConsoleSession } from "./sessions.ts";
import { matchTotp } from "./totp.ts";

export interface SignIn extends Origin {
  readonly login: string;
  readonly password: string;
  /** Code of the authenticator app; null: none was given. */
  readonly code: string | null;
}

/** `code`: the password is correct, and a code is required. */
export type SignedIn =
  | { readonly kind: "in"; readonly token: string }
  | { readonly kind: "code" }
  | { readonly kind: "refused" };

const FIND = sql(
  "operator_sign_in",
  "select id, account_id, password, totp_key from operators where login = $1",
);
// Password and second factor may have been changed since they were checked. A change waits for this lock, and then ends
// the new session too.
const SAME = sql(
  "operator_same_secrets",
  `select 1 from operators where id = $1 and password = $2 and totp_key is not distinct from $3 for no key update`,
);
const TAKE_STEP = sql(
  "operator_totp_step",
  "update operators set totp_step = $2 where id = $1 and (totp_step is null or totp_step < $2) returning id",
);

interface Row {
  readonly id: string;
  readonly account_id: number | null;
  readonly password: string;
  readonly totp_key: Buffer | null;
}

/**
 * Signs a user in. An unknown login takes as long as a wrong password. Throws TOO_MANY_LOGINS after ten wrong
 * passwords from an address, or ten wrong codes from anywhere, within 15 minutes, and UNAVAILABLE if too many
 * passwords are waiting to be checked. Throws FORBIDDEN where passwords are switched off.
 */
export async function signIn(core: Base & HasPasswordTurns, request: SignIn): Promise<SignedIn> {
  refuseWithoutPasswords(core);
  const login = request.login.trim().toLowerCase();
  const attempt = await takeAttempt(core.db, `console ${login}`, request.address);
  const [found] = await core.db.query<Row>(FIND, [login]);
  const stored = found?.password ?? NOBODYS_PASSWORD;
  const check = () => inTurn(core, () => verifyPassword(request.password, stored));
  const right = await checkAttempt(core.db, attempt, check);
  if (found === undefined || !right) return { kind: "refused" };
  if (found.totp_key !== null) {
    if (request.code === null) {
      await giveBackAttempt(core.db, attempt);
      return { kind: "code" };
    }
    const guess = await takeAttempt(core.db, `console code ${found.id}`, `code of ${found.id}`);
    if (!(await takeCode(core, found.id, found.totp_key, request.code))) return { kind: "refused" };
    await giveBackAttempt(core.db, guess);
  }
  await giveBackAttempt(core.db, attempt);
  const token = await core.db.tx(async (tx) => {
    if ((await tx.query(SAME, [found.id, found.password, found.totp_key])).length === 0) return null;
    await audit(tx, { accountId: found.account_id, action: "operator.sign_in", subject: found.id });
    return openConsoleSession({ db: tx, settings: core.settings }, found.id, request);
  });
  return token === null ? { kind: "refused" } : { kind: "in", token };
}

/** Throws FORBIDDEN where passwords are switched off. */
export function refuseWithoutPasswords({ settings }: Pick<Base, "settings">): void {
  if (settings.console.passwords) return;
  throw new AppError("FORBIDDEN", {
    description: `Passwords are switched off: people sign in at ${settings.console.provider?.name}`,
  });
}

/** Whether the code is correct and unused. A code is valid once, over all nodes. */
async function takeCode(core: Base, id: string, sealed: Buffer, code: string): Promise<boolean> {
  const step = matchTotp(keyOf(core, id, sealed), code, core.clock.now());
  return step !== null && isNewStep(core.db, id, step);
}

async function isNewStep(db: Queryable, id: string, step: number): Promise<boolean> {
  return (await db.query(TAKE_STEP, [id, step])).length > 0;
}
