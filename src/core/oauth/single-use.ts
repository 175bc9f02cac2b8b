import type { Transaction } from "../../database/database.ts";
import type { Partner } from "../account/partners.ts";
import { announceRevoked, type Mint } from "../account/tokens.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import { type Grant, type HasGrantEnd, pairGivenBefore, revokeGrant, type TokenPair } from "./grants.ts";

/**
 * The result of presenting a token or code that is valid once: tokens; a refusal; or reuse, with the tokens that were
 * revoked.
 */
export type SingleUse =
  | { readonly kind: "used"; readonly pair: TokenPair }
  | { readonly kind: "refused" }
  | { readonly kind: "reused"; readonly revoked: readonly { readonly hash: Buffer }[] };

export const REFUSED: SingleUse = { kind: "refused" };

/** It was used before: by the same operation, whose response was lost, or by someone who has a copy. */
export async function usedBefore(
  core: HasGrantEnd,
  tx: Transaction,
  grant: Grant,
  mint: Mint,
): Promise<SingleUse> {
  const pair = await pairGivenBefore(tx, grant, mint);
  if (pair !== null) return { kind: "used", pair };
  return { kind: "reused", revoked: await revokeGrant(core, tx, grant.id) };
}

/**
 * Call after the commit. Returns the tokens or throws INVALID_GRANT. A reuse is logged for the operator, because
 * someone has a copy.
 */
export function settle(core: Base, partner: Partner, what: string, outcome: SingleUse): TokenPair {
  if (outcome.kind === "used") return outcome.pair;
  if (outcome.kind === "reused") {
    core.log.warn({ partnerId: partner.id }, `a ${what} was used twice; what was given for it is revoked`);
    announceRevoked(core.db, outcome.revoked);
  }
  throw new AppError("INVALID_GRANT");
}
