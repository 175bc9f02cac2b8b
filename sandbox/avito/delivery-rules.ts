import type { DeliveryRules } from "../callback/queue.ts";

/** Avito documents no retries; a test can enable some, with growing delays. */
export function deliveryRules(world: { readonly settings: { readonly retries: number } }): DeliveryRules {
  return {
    pauseSeconds: (attempts) => (attempts > world.settings.retries ? undefined : 5 ** attempts),
    lifetimeSeconds: 24 * 60 * 60,
    isSuccess: (status) => status === 200,
  };
}
