import { sql } from "../../database/database.ts";
import { checkAttempt, giveBackAttempt, takeAttempt } from "../account/login-brake.ts";
import { hashPassword, verifyPassword } from "../account/password.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import { checkPassword } from "./links.ts";
import type { Operator } from "./operators.ts";
import { type HasPasswordTurns, inTurn } from "./password-turns.ts";
import { base32, matchTotp, newTotpKey, totpUri } from "./totp.ts";

/** The context to which the sealed key is bound. */
export function totpContext(operatorId: string): string {
  return `operator totp ${operatorId}`;
}

export function keyOf({ seal }: Pick<Base, "seal">, operatorId: string, sealed: Buffer): Buffer {
  return seal.open(sealed, totpContext(operatorId));
}

const BEGIN = sql(
  "operator_totp_begin",
  "update operators set totp_pending_key = $2 where id = $1 and totp_key is null returning id",
);

/**
 * Creates a key for an authenticator app; it takes effect with its first correct code. Throws FORBIDDEN if there is a
 * second factor (only its removal, which demands the password, makes room for another one), or if the person has no password.
 */
export async function beginSecondFactor(
  core: Base,
  operator: Operator,
): Promise<{ readonly key: string; readonly uri: string }> {
  requirePassword(operator);
  const { id, login } = operator;
  const key = newTotpKey();
  const begun = await core.db.query(BEGIN, [id, core.seal.seal(key, totpContext(id))]);
  if (begun.length === 0)
    throw new AppError("FORBIDDEN", { description: "Remove the present second factor first" });
  const issuer = `Trunkline ${new URL(core.settings.publicUrl).host}`;
  return { key: base32(key), uri: totpUri(key, { issuer, login }) };
}

const PENDING = sql("operator_totp_pending", "select totp_pending_key as key from operators where id = $1");
const CONFIRM = sql(
  "operator_totp_confirm",
  `update operators set totp_key = totp_pending_key, totp_pending_key = null, totp_step = $2
   where id = $1 and totp_pending_key = $3 and totp_key is null returning id`,
);

/** False: the code is wrong, or no key is waiting for confirmation. */
export async function confirmSecondFactor(
  core: Base,
  { id, accountId }: Operator,
  code: string,
): Promise<boolean> {
  const [row] = await core.db.query<{ key: Buffer | null }>(PENDING, [id]);
  const pending = row?.key ?? null;
  if (pending === null) return false;
  const step = matchTotp(keyOf(core, id, pending), code, core.clock.now());
  if (step === null) return false;
  return core.db.tx(async (tx) => {
    if ((await tx.query(CONFIRM, [id, step, pending])).length === 0) return false;
    await audit(tx, { accountId, action: "operator.second_factor", subject: id, details: { on: true } });
    return true;
  });
}

const PASSWORD = sql("operator_password", "select password from operators where id = $1");
const END = sql(
  "operator_totp_end",
  `update operators set totp_key = null, totp_pending_key = null, totp_step = null
   where id = $1 and password = $2 returning id`,
);
const SET = sql(
  "operator_password_set",
  "update operators set password = $2 where id = $1 and password = $3 returning id",
);

/** Throws WRONG_PASSWORD. */
export async function endSecondFactor(
  core: Base & HasPasswordTurns,
  { id, accountId }: Operator,
  password: string,
): Promise<void> {
  const demanded = await demandPassword(core, id, password);
  await core.db.tx(async (tx) => {
    requireSame(await tx.query(END, [id, demanded]));
    await audit(tx, { accountId, action: "operator.second_factor", subject: id, details: { on: false } });
  });
}

/** Sets a new password and ends all other sessions. Throws WRONG_PASSWORD, VALIDATION_ERROR, and FORBIDDEN. */
export async function changePassword(
  core: Base & HasPasswordTurns,
  { operator, id: sessionId }: { readonly operator: Operator; readonly id: string },
  { current, next }: { readonly current: string; readonly next: string },
): Promise<void> {
  requirePassword(operator);
  const { id, accountId } = operator;
  checkPassword(next);
  const demanded = await demandPassword(core, id, current);
  const hash = await inTurn(core, () => hashPassword(next));
  await core.db.tx(async (tx) => {
    requireSame(await tx.query(SET, [id, hash, demanded]));
    await tx.query("delete from operator_sessions where operator_id = $1 and id <> $2", [id, sessionId]);
    await audit(tx, { accountId, action: "operator.password", subject: id });
  });
}

/** Throws FORBIDDEN for a person who signs in at the provider. */
function requirePassword({ isFromProvider }: Operator): void {
  if (isFromProvider)
    throw new AppError("FORBIDDEN", {
      description: "You sign in at the provider, and have no password here",
    });
}

/** A password that was reset since it was demanded is wrong by now. */
function requireSame(changed: readonly unknown[]): void {
  if (changed.length === 0) throw new AppError("WRONG_PASSWORD");
}

/** Returns the stored hash. Throws WRONG_PASSWORD. */
async function demandPassword(core: Base & HasPasswordTurns, id: string, password: string): Promise<string> {
  // A session left open must not allow unlimited guesses.
  const attempt = await takeAttempt(core.db, `console password ${id}`, `session of ${id}`);
  const [row] = await core.db.query<{ password: string }>(PASSWORD, [id]);
  const check = async () =>
    row !== undefined && (await inTurn(core, () => verifyPassword(password, row.password)));
  if (!(await checkAttempt(core.db, attempt, check)) || row === undefined)
    throw new AppError("WRONG_PASSWORD");
  await giveBackAttempt(core.db, attempt);
  return row.password;
}
