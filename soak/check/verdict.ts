import { setTimeout as sleep } from "node:timers/promises";
import { LEFT, NOTHING_LEFT } from "../../test/kit/left.ts";
import type { Stage } from "../stage.ts";
import { collect, type Round } from "./collect.ts";
import type { Facts, Violation } from "./facts.ts";
import { checkInbound } from "./inbound.ts";
import { separateLosses } from "./losses.ts";
import { checkLateSends, checkOutbound } from "./outbound.ts";

/** The result of one round. */
export interface Verdict {
  readonly violations: readonly Violation[];
  readonly counts: Counts;
  /** What failovers to a standby that lacked commits have cost, by kind. */
  readonly losses: ReadonlyMap<string, number>;
  /** Time until all activity had ended. */
  readonly restMs: number;
}

export interface Counts {
  readonly accepted: number;
  readonly sent: number;
  readonly unknown: number;
  readonly told: number;
  readonly edits: number;
}

const PATIENCE_MS = 180_000;
/** After a failover that may have lost what is waited for. */
const SHORT_PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 500;
/** Longer than a lease. */
const SETTLE_MS = 4_000;

/**
 * Waits until everything expected has arrived, or a violation is found that will not resolve itself. `mayLack`: in this
 * round a primary may have lacked commits of the one before.
 */
export async function judge(stage: Stage, round: Round, mayLack: boolean): Promise<Verdict> {
  const began = performance.now();
  const patienceMs = mayLack ? SHORT_PATIENCE_MS : PATIENCE_MS;
  const verdict = (facts: readonly Facts[], found: readonly Violation[], restMs: number): Verdict => ({
    ...(mayLack ? separateLosses(found) : { violations: found, losses: new Map() }),
    counts: countsOf(facts),
    restMs,
  });
  for (;;) {
    // Measured before the look, which takes longer from round to round: it reads all that the messengers have.
    const restMs = performance.now() - began;
    const { facts, found } = await look(stage, round);
    if (found.length === 0) {
      // Anything that arrives now is a duplicate, unless it is work that a node has just started.
      await sleep(SETTLE_MS);
      const { found: violations } = await look(stage, round);
      if (!areAllPassing(violations) || restMs > patienceMs) return verdict(facts, violations, restMs);
    } else if (!isWorthWaiting(found, mayLack) || restMs > patienceMs) {
      return verdict(facts, found, restMs);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** Whether there are violations, all of which may resolve themselves. */
function areAllPassing(violations: readonly Violation[]): boolean {
  return violations.length > 0 && violations.every(({ mayCome }) => mayCome);
}

/** Whether all violations may resolve themselves. What is lost shows by not arriving. */
function isWorthWaiting(found: readonly Violation[], mayLack: boolean): boolean {
  const { violations } = mayLack ? separateLosses(found) : { violations: found };
  return violations.every(({ mayCome }) => mayCome);
}

async function look(
  stage: Stage,
  round: Round,
): Promise<{ readonly facts: readonly Facts[]; readonly found: readonly Violation[] }> {
  const left = await leftIn(stage);
  const { facts, violations } = await collect(stage, round);
  const found = [
    ...violations,
    ...deathsOf(stage),
    ...facts.flatMap((each) => [...checkOutbound(each), ...checkInbound(each)]),
    ...checkLateSends(facts, round.freezes),
    ...left,
  ];
  // Violations that cannot resolve themselves come first: they are closest to the cause.
  return { facts, found: found.toSorted((a, b) => Number(a.mayCome) - Number(b.mayCome)) };
}

function deathsOf({ nodes }: Stage): Violation[] {
  return nodes.flatMap(({ name, deaths }) =>
    deaths.map((what) => ({ conversation: name, rule: "ends in order" as const, what, mayCome: false })),
  );
}

async function leftIn({ cells }: Stage): Promise<Violation[]> {
  const left = await Promise.all(cells.map(async ({ postgres }) => (await postgres.query(LEFT))[0]));
  return left
    .map((each) => JSON.stringify(each))
    .filter((what) => what !== JSON.stringify(NOTHING_LEFT))
    .map((what) => ({ conversation: "all", rule: "no job left", what, mayCome: true }));
}

/** Pure. */
export function countsText({ accepted, sent, unknown, edits, told }: Counts): string {
  return `${accepted} accepted, ${sent} sent, ${unknown} unknown, ${edits} edited, ${told} told`;
}

function countsOf(facts: readonly Facts[]): Counts {
  const messages = facts.flatMap(({ clients }) => clients.flat());
  const last = messages.flatMap(({ statuses }) => statuses.at(-1)?.status ?? []);
  return {
    accepted: messages.filter(({ accepted }) => accepted).length,
    sent: last.filter((status) => status !== "error").length,
    unknown: last.filter((status) => status === "error").length,
    told: facts.reduce((sum, { told }) => sum + told.length, 0),
    edits: messages.filter(({ edit }) => edit?.accepted === true).length,
  };
}
