import type { Partner } from "../account/partners.ts";
import { announceRevoked } from "../account/tokens.ts";
import type { Core } from "../core.ts";
import { AppError } from "../errors.ts";
import type { TokenPair } from "./grants.ts";

/** What became of a token or code that works once: tokens; a refusal; or it came again, and these were revoked. */
export type SingleUse =
  | { readonly kind: "used"; readonly pair: TokenPair }
  | { readonly kind: "refused" }
  | { readonly kind: "reused"; readonly revoked: readonly { readonly hash: Buffer }[] };

export const REFUSED: SingleUse = { kind: "refused" };

/** After the commit: the tokens, or INVALID_GRANT. A reuse is worth an operator's look: somebody has a copy. */
export function settle(core: Core, partner: Partner, what: string, outcome: SingleUse): TokenPair {
  if (outcome.kind === "used") return outcome.pair;
  if (outcome.kind === "reused") {
    core.log.warn({ partnerId: partner.id }, `a ${what} was used twice; what was given for it is revoked`);
    announceRevoked(core.db, outcome.revoked);
  }
  throw new AppError("INVALID_GRANT");
}
