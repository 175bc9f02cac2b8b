import type { DeliveryRules } from "../callback/queue.ts";

/** Retries several times within about an hour, until 200; the delays are not documented. */
export const deliveryRules: DeliveryRules = {
  pauseSeconds: (attempts) => [5, 15, 60, 180, 600, 1200, 1200][attempts - 1],
  lifetimeSeconds: 60 * 60,
  isSuccess: (status) => status === 200,
};
