import type { Scope } from "../scope.ts";

/**
 * Whoever requests a link to a page: a token, with its grant if OAuth issued it, or a session of a page. An operator has
 * none of them.
 */
export interface Issuer extends Scope {
  readonly tokenId: string | null;
  readonly grantId: string | null;
  /** The hash of the session: what its link opens ends no later than the session. */
  readonly session?: Buffer;
}

/** An operator who requests a link to a page of the account. */
export function issuerWithoutToken({ accountId }: Scope): Issuer {
  return { accountId, tokenId: null, grantId: null };
}

/** Expression on `page_tickets t`: whether the ticket, or its session, is valid at this moment. */
export const IS_VALID = `(t.expires_at > now()
  and not exists (select 1 from tokens i where i.id = t.token_id and i.revoked_at is not null)
  and not exists (select 1 from oauth_grants g where g.id = t.grant_id and g.revoked_at is not null))`;
