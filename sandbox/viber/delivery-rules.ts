import type { DeliveryRules } from "../callback/queue.ts";

/** Several times during about an hour, until 200; the pauses are not documented. */
export const deliveryRules: DeliveryRules = {
  pauseSeconds: (attempts) => [5, 15, 60, 180, 600, 1200, 1200][attempts - 1],
  lifetimeSeconds: 60 * 60,
  isSuccess: (status) => status === 200,
};
