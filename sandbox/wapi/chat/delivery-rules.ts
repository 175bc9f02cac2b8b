import type { DeliveryRules } from "../../callback/queue.ts";
import { packByAddress } from "../../meta/callbacks.ts";
import { changesOf, envelope } from "../update/envelope.ts";

/** The first retry follows immediately, then with decreasing frequency for seven days. */
const pauses = [0, 15, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600];
const lifetimeSeconds = 7 * 24 * 60 * 60;

/** Meta's delivery rules for WhatsApp. */
export function deliveryRules(apps: Parameters<typeof packByAddress>[0]): DeliveryRules {
  return {
    pauseSeconds: (attempts) => pauses[attempts - 1] ?? pauses.at(-1),
    lifetimeSeconds,
    isSuccess: (status) => status === 200,
    pack: (callbacks) => packByAddress(apps, callbacks, (entries) => envelope(entries.flatMap(changesOf))),
  };
}
