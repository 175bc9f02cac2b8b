import { type Counts, countsText, type Verdict } from "./check/verdict.ts";
import type { Stage } from "./stage.ts";
import { seconds } from "./trouble/contract.ts";
import type { Happened } from "./trouble/make.ts";

interface Over extends Happened {
  readonly untilMs: number;
}

/** The figures of a whole run. */
export interface Report {
  trouble(over: Over): void;
  round(verdict: Verdict): void;
  lines(): readonly string[];
}

export function createReport({ waits, postgres: { faults } }: Pick<Stage, "waits" | "postgres">): Report {
  const troubles: Over[] = [];
  const verdicts: Verdict[] = [];
  const longest = (list: readonly Over[]): string =>
    seconds(Math.max(...list.map(({ sinceMs, untilMs }) => waits.longest(sinceMs, untilMs))));
  return {
    trouble: (over) => void troubles.push(over),
    round: (verdict) => void verdicts.push(verdict),
    lines: () => [
      `in all: ${countsText(sum(verdicts.map(({ counts }) => counts)))}`,
      ...[...lossesOf(verdicts)].map(([kind, count]) => `lost by failovers: ${count} ${kind}`),
      `the longest wait of a client: ${seconds(waits.longest(0, Number.POSITIVE_INFINITY))}`,
      ...(faults === null ? [] : [`${faults.newTimelines()} new timelines`]),
      ...[...Map.groupBy(troubles, ({ name }) => name)]
        .filter(([name]) => faults?.names.includes(name))
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([name, list]) => `  ${list.length} × ${name}; the longest wait ${longest(list)}`),
    ],
  };
}

function lossesOf(verdicts: readonly Verdict[]): Map<string, number> {
  const all = new Map<string, number>();
  for (const { losses } of verdicts)
    for (const [kind, count] of losses) all.set(kind, (all.get(kind) ?? 0) + count);
  return all;
}

function sum(list: readonly Counts[]): Counts {
  return list.reduce(
    (all, { accepted, sent, unknown, told, edits }) => ({
      accepted: all.accepted + accepted,
      sent: all.sent + sent,
      unknown: all.unknown + unknown,
      told: all.told + told,
      edits: all.edits + edits,
    }),
    { accepted: 0, sent: 0, unknown: 0, told: 0, edits: 0 },
  );
}
