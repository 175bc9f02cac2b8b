import type { Rule, Violation } from "./facts.ts";

/**
 * What a failover to an asynchronous standby may cost (docs/operations.md, "Failover to a standby"), by the rule that
 * notices it.
 */
const DOCUMENTED: Readonly<Partial<Record<Rule, string>>> = {
  "accepted is stored": "accepted messages lost",
  "arrived is stored": "messages sent, and then lost before their acceptance was confirmed",
  "sent once per request": "messages sent again at a repeated request",
  "echoed once": "sent messages, then lost, that came back as the owner's",
  "accepted has an outcome": "statuses lost",
  "one outcome": "sent messages that ended as unknown later",
  edited: "edits lost",
  told: "reports of messengers lost",
  "told is stored": "statuses told of messages that were lost",
  "told once": "reports of messengers delivered again under another id",
};

/** Separates what a failover may cost, counted by kind, from violations. Pure. */
export function separateLosses(found: readonly Violation[]): {
  readonly losses: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
} {
  const losses = new Map<string, number>();
  const violations: Violation[] = [];
  for (const violation of found) {
    const kind = DOCUMENTED[violation.rule];
    if (kind === undefined) violations.push(violation);
    else losses.set(kind, (losses.get(kind) ?? 0) + 1);
  }
  return { losses, violations };
}
