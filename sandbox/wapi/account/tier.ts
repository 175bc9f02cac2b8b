/** The number of users that a business may write to first within 24 hours. */
export const tiers = {
  TIER_NOT_SET: 250,
  TIER_50: 50,
  TIER_250: 250,
  TIER_1K: 1000,
  TIER_2K: 2000,
  TIER_10K: 10_000,
  TIER_100K: 100_000,
  TIER_UNLIMITED: Number.POSITIVE_INFINITY,
} as const;

export type Tier = keyof typeof tiers;

/** Whether a text names a tier. */
export function isTier(text: string): text is Tier {
  return Object.hasOwn(tiers, text);
}

/** The tier as a number, the other form of `business_capability_update`; −1: no limit. */
export function tierNumber(tier: Tier): number {
  return Number.isFinite(tiers[tier]) ? tiers[tier] : -1;
}
