import { type Queryable, sql } from "../../database/database.ts";
import { isWithin, type OauthScope } from "../account/oauth-scope.ts";
import type { Partner } from "../account/partners.ts";
import { hashToken, mintFor } from "../account/tokens.ts";
import type { Base } from "../base.ts";
import { awayError, type Directory, DirectoryAway, type HasDirectory } from "../directory/directory.ts";
import {
  type SharedMachineToken,
  sharedMachineScope,
  shareMachineTokens,
} from "../directory/machine-tokens.ts";
import { AppError } from "../errors.ts";
import { startGrant, type TokenPair } from "./grants.ts";

/**
 * Issues a machine token, which can only be exchanged for tokens of the partner's accounts. With a directory it is valid in
 * all cells; while that is away, in this one at first.
 */
export async function issueMachineToken(
  core: Base & HasDirectory,
  partner: Partner,
  scope: readonly OauthScope[],
): Promise<TokenPair> {
  const facts = { partnerId: partner.id, accountId: null, clientId: null, scope };
  const pair = await core.db.tx((tx) => startGrant(tx, facts, mintFor(core, null)));
  if (core.directory !== null)
    await shareNewTokens(core.db, core.directory).catch((error: unknown) => {
      if (!(error instanceof DirectoryAway)) throw error;
    });
  return pair;
}

const SHARED_TOGETHER = 500;
const UNSHARED = sql(
  "oauth_machine_unshared",
  `select encode(m.hash, 'hex') as hash, g.id as "grant", g.partner_id as partner, g.scope,
     extract(epoch from m.expires_at - now())::float8 as seconds
   from oauth_machine_tokens m join oauth_grants g on g.id = any(array[m.grant_id])
   where not m.is_shared and m.expires_at > now() and g.revoked_at is null order by m.expires_at limit ${SHARED_TOGETHER}`,
);
const SHARED = sql(
  "oauth_machine_shared",
  "update oauth_machine_tokens set is_shared = true where hash in (select decode(h, 'hex') from unnest($1::text[]) h)",
);

/** Shares machine tokens that other cells do not know yet. Returns how many. Throws `DirectoryAway`. Idempotent. */
export async function shareNewTokens(db: Queryable, directory: Directory): Promise<number> {
  const tokens = await db.query<SharedMachineToken>(UNSHARED, []);
  if (tokens.length === 0) return 0;
  await shareMachineTokens(directory, tokens);
  await db.query(SHARED, [tokens.map(({ hash }) => hash)]);
  return tokens.length;
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
 * valid machine token of this partner, from any cell, UNAVAILABLE if only the directory could tell, INVALID_SCOPE if the scope exceeds that of the token, and ACCOUNT_NOT_FOUND.
 */
export async function exchangeToken(
  core: Base & HasDirectory,
  partner: Partner,
  { machineToken, accountId, scope }: Exchange,
): Promise<TokenPair> {
  const limit = await scopeOfMachine(core, partner, machineToken);
  if (limit === null) throw new AppError("INVALID_GRANT");
  if (!isWithin(scope, limit)) throw new AppError("INVALID_SCOPE");
  const accounts = await core.db.query(FIND_ACCOUNT, [accountId, partner.id]);
  if (accounts.length === 0) throw new AppError("ACCOUNT_NOT_FOUND");
  const facts = { partnerId: partner.id, accountId, clientId: null, scope };
  return core.db.tx((tx) => startGrant(tx, facts, mintFor(core, null)));
}

async function scopeOfMachine(
  { db, directory }: Pick<Base, "db"> & HasDirectory,
  partner: Partner,
  token: string,
): Promise<readonly OauthScope[] | null> {
  const [row] = await db.query<{ scope: OauthScope[] }>(FIND, [hashToken(token), partner.id]);
  if (row !== undefined || directory === null) return row?.scope ?? null;
  const hash = hashToken(token).toString("hex");
  const scope = await sharedMachineScope(directory, partner.id, hash).catch((error: unknown) => {
    throw error instanceof DirectoryAway ? awayError(error) : error;
  });
  return scope as readonly OauthScope[] | null;
}
