import type { DeliveryRules } from "../callback/queue.ts";

/** No repetitions are documented; a test can ask for some, with growing pauses. */
export function deliveryRules(world: { readonly settings: { readonly retries: number } }): DeliveryRules {
  return {
    pauseSeconds: (attempts) => (attempts > world.settings.retries ? undefined : 5 ** attempts),
    lifetimeSeconds: 24 * 60 * 60,
    isSuccess: (status) => status === 200,
  };
}
