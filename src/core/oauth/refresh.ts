import { sql, type Transaction } from "../../database/database.ts";
import type { Partner } from "../account/partners.ts";
import { hashToken, type Mint, mintFor } from "../account/tokens.ts";
import type { Base } from "../base.ts";
import { getClient } from "./clients.ts";
import { continueGrant, type HasGrantEnd, lockGrant, type TokenPair } from "./grants.ts";
import { REFUSED, type SingleUse, settle, usedBefore } from "./single-use.ts";

const LOCK = sql(
  "oauth_refresh_lock",
  `select grant_id as "grantId", used_at is not null as used, expires_at > now() as alive
   from oauth_refresh_tokens where hash = $1 for update`,
);
const MARK_USED = sql(
  "oauth_refresh_mark_used",
  "update oauth_refresh_tokens set used_at = now() where hash = $1",
);

interface Row {
  readonly grantId: string;
  readonly used: boolean;
  readonly alive: boolean;
}

export interface Refresh {
  readonly refreshToken: string;
  readonly clientId: string;
  /** Of a request with an idempotency key: its retry gets the same tokens instead of revoking the grant. */
  readonly operationId: string | null;
}

/**
 * Exchanges a refresh token, which is valid once, for the next tokens. If it is presented again, it was stolen: the
 * whole grant is revoked, with its newest tokens. Throws INVALID_CLIENT, or INVALID_GRANT if the token is invalid.
 */
export async function refreshTokens(
  core: Base & HasGrantEnd,
  partner: Partner,
  { refreshToken, clientId, operationId }: Refresh,
): Promise<TokenPair> {
  const client = await getClient(core.db, partner.id, clientId);
  const hash = hashToken(refreshToken);
  const mint = mintFor(core, operationId);
  const outcome = await core.db.tx((tx) => redeem(core, tx, partner, { hash, clientId: client.id, mint }));
  return settle(core, partner, "refresh token", outcome);
}

/** Locks the row of the token first: of two nodes that present it at the same time, one finds it used. */
async function redeem(
  core: HasGrantEnd,
  tx: Transaction,
  partner: Partner,
  { hash, clientId, mint }: { readonly hash: Buffer; readonly clientId: string; readonly mint: Mint },
): Promise<SingleUse> {
  const [row] = await tx.query<Row>(LOCK, [hash]);
  if (row === undefined) return REFUSED;
  const grant = await lockGrant(tx, row.grantId);
  if (grant === null || grant.partnerId !== partner.id) return REFUSED;
  if (row.used) return usedBefore(core, tx, grant, mint);
  if (!row.alive || (grant.clientId !== null && grant.clientId !== clientId)) return REFUSED;
  await tx.query(MARK_USED, [hash]);
  return { kind: "used", pair: await continueGrant(tx, grant, mint) };
}
