import { type Queryable, sql, type Transaction } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import type { OauthScope } from "../account/oauth-scope.ts";
import { hashToken, hintOf, type Mint } from "../account/tokens.ts";
import { audit } from "../audit/audit.ts";
import type { Scope } from "../scope.ts";

export const ACCESS_SECONDS = 3_600;
export const REFRESH_SECONDS = 7 * 86_400;

/** A family of tokens; revoking the grant revokes them all. */
export interface Grant {
  readonly id: string;
  readonly partnerId: number;
  /** Null: the partner's own (machine tokens). */
  readonly accountId: number | null;
  /** Null: not requested by an application. */
  readonly clientId: string | null;
  readonly scope: readonly OauthScope[];
}

/** For those who end grants. */
export interface HasGrantEnd {
  /** Ends what only a grant of this account allowed. Called in the transaction that ends the grant, after the change. */
  readonly onGrantEnd: (tx: Queryable, scope: Scope) => Promise<void>;
}

/** Returned only once: only hashes are stored. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const INSERT = sql(
  "oauth_grant_insert",
  `insert into oauth_grants (id, partner_id, account_id, client_id, scope, expires_at)
   values ($1, $2, $3, $4, $5, now() + interval '${REFRESH_SECONDS} seconds')`,
);
const EXTEND = sql(
  "oauth_grant_extend",
  `update oauth_grants set expires_at = now() + interval '${REFRESH_SECONDS} seconds' where id = $1`,
);
const INSERT_ACCESS = sql(
  "oauth_access_insert",
  `insert into tokens (hash, account_id, id, kind, hint, grant_id, scope, expires_at)
   values ($1, $2, $3, 'access', $4, $5, $6, now() + interval '${ACCESS_SECONDS} seconds')`,
);
const INSERT_MACHINE = sql(
  "oauth_machine_insert",
  `insert into oauth_machine_tokens (hash, grant_id, expires_at)
   values ($1, $2, now() + interval '${ACCESS_SECONDS} seconds')`,
);
const INSERT_REFRESH = sql(
  "oauth_refresh_insert",
  `insert into oauth_refresh_tokens (hash, grant_id, expires_at)
   values ($1, $2, now() + interval '${REFRESH_SECONDS} seconds')`,
);

/** Creates a grant with its first tokens. */
export async function startGrant(
  tx: Transaction,
  facts: Omit<Grant, "id">,
  mint: Mint,
): Promise<TokenPair & { readonly grantId: string }> {
  const { partnerId, accountId, clientId, scope } = facts;
  const id = newId();
  await tx.query(INSERT, [id, partnerId, accountId, clientId, scope]);
  const details = { partnerId, clientId, scope };
  await audit(tx, { accountId, action: "grant.create", subject: id, details });
  return { ...(await issuePair(tx, { id, ...facts }, mint)), grantId: id };
}

/** The next tokens of a grant whose refresh token was used. */
export async function continueGrant(tx: Transaction, grant: Grant, mint: Mint): Promise<TokenPair> {
  await tx.query(EXTEND, [grant.id]);
  return issuePair(tx, grant, mint);
}

function mintPair({ accountId }: Pick<Grant, "accountId">, mint: Mint): TokenPair {
  return { accessToken: mint(accountId === null ? "machine" : "access"), refreshToken: mint("refresh") };
}

const GIVEN = sql("oauth_pair_given", "select 1 from oauth_refresh_tokens where hash = $1 and grant_id = $2");

/**
 * The tokens that the same operation received before, if its response was lost; null if another operation used the
 * refresh token.
 */
export async function pairGivenBefore(tx: Transaction, grant: Grant, mint: Mint): Promise<TokenPair | null> {
  const pair = mintPair(grant, mint);
  const given = await tx.query(GIVEN, [hashToken(pair.refreshToken), grant.id]);
  return given.length > 0 ? pair : null;
}

async function issuePair(tx: Transaction, grant: Grant, mint: Mint): Promise<TokenPair> {
  const { id, accountId, scope } = grant;
  const pair = mintPair(grant, mint);
  const { accessToken, refreshToken } = pair;
  const hash = hashToken(accessToken);
  await Promise.all([
    accountId === null
      ? tx.query(INSERT_MACHINE, [hash, id])
      : tx.query(INSERT_ACCESS, [hash, accountId, newId(), hintOf(accessToken), id, scope]),
    tx.query(INSERT_REFRESH, [hashToken(refreshToken), id]),
  ]);
  return pair;
}

const LOCK = sql(
  "oauth_grant_lock",
  `select id, partner_id as "partnerId", account_id as "accountId", client_id as "clientId", scope
   from oauth_grants where id = $1 and revoked_at is null for update`,
);

/**
 * Locks the grant until the end of the transaction: a concurrent revocation waits and then finds all tokens. Null if
 * it was revoked.
 */
export async function lockGrant(tx: Transaction, id: string): Promise<Grant | null> {
  const [grant] = await tx.query<Grant>(LOCK, [id]);
  return grant ?? null;
}

const REVOKE = sql(
  "oauth_grant_revoke",
  `update oauth_grants set revoked_at = now() where id = $1 and revoked_at is null
   returning account_id as "accountId"`,
);
const REVOKE_TOKENS = sql(
  "oauth_grant_revoke_tokens",
  "update tokens set revoked_at = now() where grant_id = $1 and revoked_at is null returning hash",
);

/**
 * Revokes the grant with all its tokens, and ends what only it allowed. After the commit, the caller announces the returned
 * tokens.
 */
export async function revokeGrant(
  { onGrantEnd }: HasGrantEnd,
  tx: Queryable,
  id: string,
): Promise<{ hash: Buffer }[]> {
  const [grant] = await tx.query<{ accountId: number | null }>(REVOKE, [id]);
  const tokens = await tx.query<{ hash: Buffer }>(REVOKE_TOKENS, [id]);
  if (grant === undefined) return tokens;
  const { accountId } = grant;
  await audit(tx, { accountId, action: "grant.revoke", subject: id });
  if (accountId !== null) await onGrantEnd(tx, { accountId });
  return tokens;
}
