import type { DeliveryRules } from "../../callback/queue.ts";
import { packByAddress } from "../../meta/callbacks.ts";

/** The first retry follows immediately, then with decreasing frequency for 36 hours. */
const pauses = [0, 15, 60, 300, 900, 3600, 3 * 3600, 6 * 3600];
const lifetimeSeconds = 36 * 60 * 60;

/** Meta's delivery rules for Instagram. */
export function deliveryRules(apps: Parameters<typeof packByAddress>[0]): DeliveryRules {
  return {
    pauseSeconds: (attempts) => pauses[attempts - 1] ?? pauses.at(-1),
    lifetimeSeconds,
    isSuccess: (status) => status === 200,
    pack: (callbacks) => packByAddress(apps, callbacks, (entries) => bodyOf(merge(entries))),
  };
}

export function bodyOf(entry: readonly Entry[]): Readonly<Record<string, unknown>> {
  return { object: "instagram", entry };
}

/** Merges entries of the same account and form. */
function merge(entries: readonly Entry[]): Entry[] {
  const listOf = (entry: Entry) => ["messaging", "changes"].find((name) => Array.isArray(entry[name])) ?? "";
  const groups = Map.groupBy(entries, (entry) => `${entry["id"]} ${listOf(entry) || JSON.stringify(entry)}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const list = first && listOf(first);
    if (!first || !list) return group;
    return [{ ...first, [list]: group.flatMap((entry) => entry[list]) }];
  });
}

export type Entry = Readonly<Record<string, unknown>>;
