import { type Queryable, sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import type { Scope } from "../scope.ts";

/** `operator`: the whole installation; `admin`: one account; `viewer`: reads, one account or all. */
export type Role = "operator" | "admin" | "viewer";
export const ROLES: readonly Role[] = ["operator", "admin", "viewer"];

/** A login of the console. */
export interface Operator {
  readonly id: string;
  readonly login: string;
  readonly role: Role;
  /** Null: the whole installation. */
  readonly accountId: number | null;
  /** Whether a code is required in addition to the password. */
  readonly hasSecondFactor: boolean;
  /** Signs in at the provider of the installation, which decides about the role, and has no password here. */
  readonly isFromProvider: boolean;
}

/** A role and the account that it applies to. */
export interface Standing {
  readonly role: Role;
  readonly accountId: number | null;
}

export const OPERATOR_COLUMNS = `o.id, o.login, o.role, o.account_id as "accountId", o.totp_key is not null as "hasSecondFactor",
  o.provider_id is not null as "isFromProvider"`;

/** Throws VALIDATION_ERROR for a role without a required account, or with an account that it must not have. */
export function checkStanding({ role, accountId }: Standing): void {
  if (role === "viewer" || (role === "admin") === (accountId !== null)) return;
  const message = role === "admin" ? "is required for an admin" : "does not belong to an operator";
  throw new AppError("VALIDATION_ERROR", { data: { fields: [{ field: "accountId", message }] } });
}

/** The account, if the operator may see it. Otherwise throws ACCOUNT_NOT_FOUND, as for one that does not exist. */
export function reach({ accountId: own }: Standing, accountId: number): Scope {
  if (own !== null && own !== accountId) throw new AppError("ACCOUNT_NOT_FOUND");
  return { accountId };
}

const LIST = sql(
  "operators_list",
  `select ${OPERATOR_COLUMNS}, o.created_at as "createdAt", o.signed_in_at as "signedInAt"
   from operators o order by o.created_at, o.id`,
);

export interface ListedOperator extends Operator {
  readonly createdAt: Date;
  readonly signedInAt: Date | null;
}

export function listOperators(db: Queryable): Promise<ListedOperator[]> {
  return db.query<ListedOperator>(LIST, []);
}

const ANY = sql("operators_any", "select 1 from operators limit 1");

/** Whether any login of the console exists. */
export async function hasOperators(db: Queryable): Promise<boolean> {
  return (await db.query(ANY, [])).length > 0;
}

// Serialises removals: otherwise two operators could remove each other.
const LOCK = sql("operators_lock", "select id from operators where role = 'operator' order by id for update");
const REMOVE = sql("operator_remove", "delete from operators where id = $1 returning login");

/**
 * Deletes a login and its sessions. False: there is no such login. Throws FORBIDDEN for the last operator of the
 * whole installation.
 */
export async function removeOperator(db: Base["db"], id: string): Promise<boolean> {
  return db.tx(async (tx) => {
    const full = await tx.query<{ id: string }>(LOCK, []);
    if (full.length === 1 && full[0]?.id === id)
      throw new AppError("FORBIDDEN", { description: "The last operator cannot be removed" });
    const [row] = await tx.query<{ login: string }>(REMOVE, [id]);
    if (row === undefined) return false;
    await audit(tx, {
      accountId: null,
      action: "operator.remove",
      subject: id,
      details: { login: row.login },
    });
    return true;
  });
}
