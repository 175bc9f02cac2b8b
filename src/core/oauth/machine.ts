import { type Queryable, sql } from "../../database/database.ts";
import { isWithin, type OauthScope } from "../account/oauth-scope.ts";
import type { Partner } from "../account/partners.ts";
import { hashToken } from "../account/tokens.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import { startGrant, type TokenPair } from "./grants.ts";

/** Issues a machine token, which can only be exchanged for tokens of the partner's accounts. */
export async function issueMachineToken(
  core: Base,
  partner: Partner,
  scope: readonly OauthScope[],
): Promise<TokenPair> {
  const facts = { partnerId: partner.id, accountId: null, clientId: null, scope };
  return core.db.tx((tx) => startGrant(tx, facts));
}

const FIND = sql(
  "oauth_machine_find",
  `select g.scope from oauth_machine_tokens m join oauth_grants g on g.id = m.grant_id
   where m.hash = $1 and m.expires_at > now() and g.revoked_at is null and g.partner_id = $2`,
);
const FIND_ACCOUNT = sql(
  "oauth_exchange_account",
  "select id from accounts where id = $1 and partner_id = $2",
);

export interface Exchange {
  readonly machineToken: string;
  readonly accountId: number;
  readonly scope: readonly OauthScope[];
}

/**
 * Exchanges a machine token for tokens of one of the partner's accounts. Throws INVALID_GRANT if the token is not a
 * valid machine token of this partner, INVALID_SCOPE if the scope exceeds that of the token, and ACCOUNT_NOT_FOUND.
 */
export async function exchangeToken(
  core: Base,
  partner: Partner,
  { machineToken, accountId, scope }: Exchange,
): Promise<TokenPair> {
  const limit = await scopeOfMachine(core.db, partner, machineToken);
  if (limit === null) throw new AppError("INVALID_GRANT");
  if (!isWithin(scope, limit)) throw new AppError("INVALID_SCOPE");
  const accounts = await core.db.query(FIND_ACCOUNT, [accountId, partner.id]);
  if (accounts.length === 0) throw new AppError("ACCOUNT_NOT_FOUND");
  return core.db.tx((tx) => startGrant(tx, { partnerId: partner.id, accountId, clientId: null, scope }));
}

async function scopeOfMachine(
  db: Queryable,
  partner: Partner,
  token: string,
): Promise<readonly OauthScope[] | null> {
  const [row] = await db.query<{ scope: OauthScope[] }>(FIND, [hashToken(token), partner.id]);
  return row?.scope ?? null;
}
