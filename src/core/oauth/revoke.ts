import { sql } from "../../database/database.ts";
import { isUuid } from "../../platform/ids.ts";
import { announceRevoked, hashToken, revokeToken } from "../account/tokens.ts";
import type { Base } from "../base.ts";
import { DirectoryAway, type HasDirectory } from "../directory/directory.ts";
import { endMachineTokens } from "../directory/machine-tokens.ts";
import type { Scope } from "../scope.ts";
import { type HasGrantEnd, lockGrant, revokeGrant } from "./grants.ts";

type Parts = Pick<Base, "db"> & HasGrantEnd & HasDirectory;

const FIND_GRANT = sql(
  "oauth_grant_of_token",
  `select g.id from oauth_grants g
   where g.id = coalesce(
       (select grant_id from tokens where hash = $1),
       (select grant_id from oauth_refresh_tokens where hash = $1),
       (select grant_id from oauth_machine_tokens where hash = $1))
     and ($2::bigint is null or g.partner_id = $2) and g.revoked_at is null`,
);

const FIND_GRANT_BY_ID = sql(
  "oauth_grant_of_token_id",
  "select grant_id as id from tokens where id = $1 and grant_id is not null and revoked_at is null",
);

/**
 * Revokes a token, given itself or its id; an OAuth token with its whole grant, whose refresh token could otherwise
 * obtain another. False: no such token, or revoked before.
 */
export async function revokeAny(core: Parts, tokenOrId: string): Promise<boolean> {
  const { db } = core;
  if (!isUuid(tokenOrId)) return (await revokeFamily(core, tokenOrId, null)) || revokeToken(db, tokenOrId);
  const [grant] = await db.query<{ id: string }>(FIND_GRANT_BY_ID, [tokenOrId]);
  return grant === undefined ? revokeToken(db, tokenOrId) : endGrant(core, grant.id);
}

/**
 * Revokes the grant of this OAuth token, whichever of its tokens it is, including expired ones. With a partner, only
 * one of its own. False if there is none.
 */
export async function revokeFamily(core: Parts, token: string, partnerId: number | null): Promise<boolean> {
  const [grant] = await core.db.query<{ id: string }>(FIND_GRANT, [hashToken(token), partnerId]);
  return grant !== undefined && endGrant(core, grant.id);
}

const ACCOUNT_GRANTS = sql(
  "oauth_grants_of_account",
  "select id from oauth_grants where account_id = $1 and revoked_at is null",
);
const ACCOUNT_TOKENS = sql(
  "tokens_revoke_of_account",
  "update tokens set revoked_at = now() where account_id = $1 and revoked_at is null returning hash",
);

/** Revokes every token of an account, and every grant that could issue new ones. Idempotent. */
export async function revokeAccount(core: Parts, { accountId }: Scope): Promise<void> {
  const { db } = core;
  for (const { id } of await db.query<{ id: string }>(ACCOUNT_GRANTS, [accountId])) await endGrant(core, id);
  announceRevoked(db, await db.query<{ hash: Buffer }>(ACCOUNT_TOKENS, [accountId]));
}

async function endGrant(core: Parts, id: string): Promise<boolean> {
  const { db, directory } = core;
  const revoked = await db.tx(async (tx) =>
    (await lockGrant(tx, id)) === null ? null : revokeGrant(core, tx, id),
  );
  announceRevoked(db, revoked ?? []);
  if (revoked !== null && directory !== null)
    await endMachineTokens(directory, id).catch((error: unknown) => {
      if (!(error instanceof DirectoryAway)) throw error;
    });
  return revoked !== null;
}
