import { type Queryable, sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import { hashPassword, MIN_PASSWORD_LENGTH } from "../account/password.ts";
import { hashToken, newToken } from "../account/tokens.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import { checkStanding, hasOperators, type Role, type Standing } from "./operators.ts";
import { type HasPasswordTurns, inTurn } from "./password-turns.ts";

/** The purpose of a link: `first` is valid while there is no operator; `reset` sets a new password. */
export type LinkPurpose = "first" | "invite" | "reset";

/** A link that has not been used yet. */
export interface OpenLink extends Standing {
  readonly purpose: LinkPurpose;
  /** The login whose password is set; null: the person chooses a login. */
  readonly login: string | null;
}

/** The dependencies for creating a link. */
interface LinkMaker {
  readonly db: Base["db"];
  readonly settings: Pick<Base["settings"], "publicUrl" | "cell">;
  /** By a person at the machine: the link also works where passwords are switched off. */
  readonly byCommand?: true;
}

const LIFETIME_HOURS = 24;
const LOGIN = /^[\p{L}\p{N}._@+-]{1,100}$/u;

const INSERT = sql(
  "operator_link_insert",
  `insert into operator_links (hash, purpose, role, account_id, operator_id, by_command, expires_at)
   values ($1, $2, $3, $4, $5, $6, now() + interval '${LIFETIME_HOURS} hours')`,
);

/** A link for the first operator; null if there already is one. Valid once, within a day. */
export async function firstLink(core: LinkMaker): Promise<string | null> {
  if (await hasOperators(core.db)) return null;
  const token = newToken("link", core.settings.cell);
  await core.db.query(INSERT, [hashToken(token), "first", "operator", null, null, true]);
  return linkAddress(core, token);
}

/** A link for another person, valid once, within a day. */
export async function inviteOperator(core: LinkMaker, standing: Standing): Promise<string> {
  checkStanding(standing);
  const { role, accountId } = standing;
  const token = newToken("link", core.settings.cell);
  await core.db.tx(async (tx) => {
    const known =
      accountId === null || (await tx.query("select 1 from accounts where id = $1", [accountId])).length > 0;
    if (!known) throw new AppError("ACCOUNT_NOT_FOUND");
    await tx.query(INSERT, [hashToken(token), "invite", role, accountId, null, core.byCommand ?? false]);
    await audit(tx, { accountId, action: "operator.invite", details: { role } });
  });
  return linkAddress(core, token);
}

const BY_LOGIN = sql(
  "operator_by_login",
  `select id, role, account_id as "accountId", provider_id is not null as "isFromProvider"
   from operators where login = $1`,
);

/**
 * A link that sets a new password and removes the second factor; null: there is no such login. Throws FORBIDDEN for a
 * person who signs in at the provider.
 */
export async function resetOperator(core: LinkMaker, login: string): Promise<string | null> {
  const token = newToken("link", core.settings.cell);
  const found = await core.db.tx(async (tx) => {
    const [row] = await tx.query<Standing & { id: string; isFromProvider: boolean }>(BY_LOGIN, [
      login.trim().toLowerCase(),
    ]);
    if (row === undefined) return false;
    if (row.isFromProvider)
      throw new AppError("FORBIDDEN", {
        description: `${login} signs in at the provider, and has no password here`,
      });
    await tx.query(INSERT, [
      hashToken(token),
      "reset",
      row.role,
      row.accountId,
      row.id,
      core.byCommand ?? false,
    ]);
    await audit(tx, { accountId: row.accountId, action: "operator.reset", subject: row.id });
    return true;
  });
  return found ? linkAddress(core, token) : null;
}

/** The secret is in the fragment, which browsers do not send: no server or proxy logs it. */
function linkAddress({ settings }: LinkMaker, token: string): string {
  return `${settings.publicUrl}/app/console#/link/${token}`;
}

const FIND = sql(
  "operator_link_find",
  `select l.purpose, l.role, l.account_id as "accountId", l.operator_id as "operatorId", o.login
   from operator_links l left join operators o on o.id = l.operator_id
   where l.hash = $1 and l.expires_at > now() and (l.by_command or $2)
     and (l.purpose <> 'first' or not exists (select 1 from operators))`,
);

/** The purpose of a link; null: it is unknown, used or expired, or sets a password where there are none. */
export async function findLink(
  { db, settings }: Pick<Base, "db" | "settings">,
  token: string,
): Promise<OpenLink | null> {
  const values = [hashToken(token), settings.console.passwords];
  const [row] = await db.query<OpenLink & { operatorId: string | null }>(FIND, values);
  if (row === undefined) return null;
  const { purpose, role, accountId, login } = row;
  return { purpose, role, accountId, login };
}

const TAKE = sql(
  "operator_link_take",
  `delete from operator_links where hash = $1 and expires_at > now()
   returning purpose, role, account_id as "accountId", operator_id as "operatorId"`,
);
const ADD = sql(
  "operator_insert",
  `insert into operators (id, login, role, account_id, password) values ($1, $2, $3, $4, $5)
   on conflict (login) do nothing returning id`,
);
const SET_PASSWORD = sql(
  "operator_reset",
  `update operators set password = $2, totp_key = null, totp_pending_key = null, totp_step = null
   where id = $1 returning id`,
);

interface TakenLink {
  readonly purpose: LinkPurpose;
  readonly role: Role;
  readonly accountId: number | null;
  readonly operatorId: string | null;
}

/**
 * Uses a link, and returns the operator that was created or changed. `login` applies if the link has none. Throws
 * NOT_FOUND if the link is unknown, used or expired, and VALIDATION_ERROR, which keeps the link valid.
 */
export async function redeemLink(
  core: Base & HasPasswordTurns,
  { link, login, password }: { readonly link: string; readonly login: string; readonly password: string },
): Promise<string> {
  checkPassword(password);
  if ((await findLink(core, link)) === null) throw new AppError("NOT_FOUND");
  const hash = await inTurn(core, () => hashPassword(password));
  return core.db.tx(async (tx) => {
    const [taken] = await tx.query<TakenLink>(TAKE, [hashToken(link)]);
    if (taken === undefined) throw new AppError("NOT_FOUND");
    return taken.operatorId === null
      ? add(tx, taken, login.trim().toLowerCase(), hash)
      : reset(tx, taken, taken.operatorId, hash);
  });
}

async function add(tx: Queryable, link: TakenLink, login: string, password: string): Promise<string> {
  if (!LOGIN.test(login)) throw fault("login", "must be letters, digits and ._@+- without spaces");
  if (link.purpose === "first") {
    // If several first starts printed links, only one creates an operator.
    await tx.query("lock table operators in share row exclusive mode");
    if (await hasOperators(tx)) throw new AppError("NOT_FOUND");
    await tx.query("delete from operator_links where purpose = 'first'");
  }
  const { role, accountId } = link;
  const id = newId();
  if ((await tx.query(ADD, [id, login, role, accountId, password])).length === 0)
    throw fault("login", "is already in use");
  await audit(tx, { accountId, action: "operator.create", subject: id, details: { login, role } });
  return id;
}

async function reset(tx: Queryable, link: TakenLink, id: string, password: string): Promise<string> {
  if ((await tx.query(SET_PASSWORD, [id, password])).length === 0) throw new AppError("NOT_FOUND");
  await tx.query("delete from operator_sessions where operator_id = $1", [id]);
  await tx.query("delete from operator_links where operator_id = $1", [id]);
  await audit(tx, {
    accountId: link.accountId,
    action: "operator.password",
    subject: id,
    details: { by: "link" },
  });
  return id;
}

/** Throws VALIDATION_ERROR for a password that is too short. */
export function checkPassword(password: string): void {
  if (password.length < MIN_PASSWORD_LENGTH)
    throw fault("password", `must have at least ${MIN_PASSWORD_LENGTH} characters`);
}

function fault(field: string, message: string): AppError {
  return new AppError("VALIDATION_ERROR", { data: { fields: [{ field, message }] } });
}
