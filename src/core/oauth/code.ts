import { createHash } from "node:crypto";
import { sql, type Transaction } from "../../database/database.ts";
import { isSame } from "../../platform/same.ts";
import type { OauthScope } from "../account/oauth-scope.ts";
import type { Partner } from "../account/partners.ts";
import { hashToken, type Mint, mintFor, newToken } from "../account/tokens.ts";
import { audit, together } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { getClient } from "./clients.ts";
import { type HasGrantEnd, lockGrant, startGrant, type TokenPair } from "./grants.ts";
import { REFUSED, type SingleUse, settle, usedBefore } from "./single-use.ts";

const LIFETIME_SECONDS = 60;

export interface CodeFacts {
  readonly accountId: number;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: readonly OauthScope[];
  /** SHA-256 of the verifier (PKCE, S256), 32 bytes. */
  readonly challenge: Buffer;
}

const INSERT = sql(
  "oauth_code_insert",
  `insert into oauth_codes (hash, account_id, client_id, redirect_uri, scope, challenge, expires_at)
   values ($1, $2, $3, $4, $5, $6, now() + interval '${LIFETIME_SECONDS} seconds')`,
);

/** Issues a code for what the account's owner agreed to. It can be redeemed once within a minute. */
export async function issueCode(
  { db, settings }: Pick<Base, "db" | "settings">,
  facts: CodeFacts,
): Promise<string> {
  const { accountId, clientId, redirectUri, scope, challenge } = facts;
  const code = newToken("code", settings.cell);
  await together(db, async (tx) => {
    await tx.query(INSERT, [hashToken(code), accountId, clientId, redirectUri, scope, challenge]);
    await audit(tx, { accountId, action: "grant.consent", subject: clientId, details: { scope } });
  });
  return code;
}

const LOCK = sql(
  "oauth_code_lock",
  `select account_id as "accountId", client_id as "clientId", redirect_uri as "redirectUri", scope, challenge,
     grant_id as "grantId", expires_at > now() as alive
   from oauth_codes where hash = $1 for update`,
);
const REDEEM = sql("oauth_code_redeem", "update oauth_codes set grant_id = $2 where hash = $1");

interface Row extends CodeFacts {
  readonly grantId: string | null;
  readonly alive: boolean;
}

export interface Redemption {
  readonly code: string;
  readonly redirectUri: string;
  readonly clientId: string;
  readonly verifier: string;
  /** Of a request with an idempotency key: its retry gets the same tokens. */
  readonly operationId: string | null;
}

/**
 * Exchanges a code for tokens. If a code is presented twice, it was stolen: its tokens are revoked. Throws
 * INVALID_CLIENT, or INVALID_GRANT if the code, the address or the verifier is wrong.
 */
export async function redeemCode(
  core: Base & HasGrantEnd,
  partner: Partner,
  redemption: Redemption,
): Promise<TokenPair> {
  const client = await getClient(core.db, partner.id, redemption.clientId);
  const mint = mintFor(core, redemption.operationId);
  const outcome = await core.db.tx((tx) =>
    redeem(core, tx, partner, { ...redemption, clientId: client.id, mint }),
  );
  return settle(core, partner, "code", outcome);
}

async function redeem(
  core: HasGrantEnd,
  tx: Transaction,
  partner: Partner,
  { code, redirectUri, clientId, verifier, mint }: Redemption & { readonly mint: Mint },
): Promise<SingleUse> {
  const hash = hashToken(code);
  const [row] = await tx.query<Row>(LOCK, [hash]);
  if (row === undefined || row.clientId !== clientId) return REFUSED;
  if (row.grantId !== null) return redeemedBefore(core, tx, row.grantId, mint);
  if (!row.alive || row.redirectUri !== redirectUri || !fits(verifier, row.challenge)) return REFUSED;
  const { accountId, scope } = row;
  const pair = await startGrant(tx, { partnerId: partner.id, accountId, clientId, scope }, mint);
  await tx.query(REDEEM, [hash, pair.grantId]);
  return { kind: "used", pair };
}

async function redeemedBefore(
  core: HasGrantEnd,
  tx: Transaction,
  grantId: string,
  mint: Mint,
): Promise<SingleUse> {
  const grant = await lockGrant(tx, grantId);
  return grant === null ? REFUSED : usedBefore(core, tx, grant, mint);
}

function fits(verifier: string, challenge: Buffer): boolean {
  return isSame(createHash("sha256").update(verifier).digest(), challenge);
}
