import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beginningOf } from "./check/collect.ts";
import type { Violation } from "./check/facts.ts";
import { countsText, judge, type Verdict } from "./check/verdict.ts";
import { createRandom, type Random } from "./random.ts";
import { createReport, type Report } from "./report.ts";
import { type Stage, type StageOptions, setStage } from "./stage.ts";
import { type Conversation, openConversations, talk } from "./traffic.ts";
import { choices, type Happened, makeTrouble } from "./trouble/make.ts";
import { moveAccounts, type Pauses } from "./trouble/moves.ts";

export interface SoakOptions extends StageOptions {
  /** Total duration of the trouble. */
  readonly minutes: number;
  readonly roundSeconds: number;
  readonly seed: string;
  /** New people at each messenger in each round. */
  readonly people: number;
  /** Without trouble. */
  readonly calm: boolean;
}

export interface Result {
  /** Empty if every guarantee held. */
  readonly violations: readonly Violation[];
  /** Directory of the nodes' logs, if a guarantee was violated. */
  readonly logs: string;
}

/** Runs rounds until the time is over or one finds a violation. */
export async function soak(options: SoakOptions): Promise<Result> {
  const random = createRandom(options.seed);
  const rounds = Math.max(1, Math.round((options.minutes * 60) / options.roundSeconds));
  options.tell(`seed ${options.seed}: ${rounds} rounds of ${options.roundSeconds} s`);
  const stage = await setStage(options);
  const report = createReport(stage);
  let violations: readonly Violation[] = [];
  try {
    for (let round = 1; round <= rounds && violations.length === 0; round++) {
      const verdict = await runRound(stage, { ...options, round, report }, random.fork(`round ${round}`));
      options.tell(summary(round, verdict));
      report.round(verdict);
      violations = verdict.violations;
    }
    for (const line of report.lines()) options.tell(line);
    violations = [...violations, ...(await endInOrder(stage))];
  } finally {
    await stage.close(violations.length > 0);
  }
  return { violations, logs: stage.directory };
}

interface RoundOptions extends SoakOptions {
  readonly round: number;
  readonly report: Report;
}

async function runRound(
  stage: Stage,
  { round, roundSeconds, people, calm, report, tell }: RoundOptions,
  random: Random,
): Promise<Verdict> {
  const beginning = beginningOf(stage);
  const conversations = await openConversations(stage, round, people);
  const over = new AbortController();
  const stop = over.signal;
  const began = performance.now();
  const since = (ms: number): string => ((ms - began) / 1_000).toFixed(1);
  const { faults } = stage.postgres;
  const timelines = faults?.newTimelines() ?? 0;
  const tellWhen = (happened: Happened): void => {
    const { name, what, sinceMs } = happened;
    const untilMs = performance.now();
    report.trouble({ ...happened, untilMs });
    tell(`  ${round}: ${since(sinceMs)}–${since(untilMs)} s  ${name}: ${what}`);
  };
  const troubles = (calm ? [] : choices(stage)).map((choose, hand) =>
    makeTrouble(stage, { random: random.fork(`hand ${hand}`), choose, stop, tell: tellWhen }),
  );
  const talking = talk(stage, conversations, { random: random.fork("traffic"), stop });
  const moving =
    stage.cells.length < 2
      ? null
      : moveAccounts(stage, { random: random.fork("moves"), stop, tell: tellWhen });
  const failed = Promise.all([talking, moving, ...troubles]);
  // Reported below; until then it must not count as unhandled.
  failed.catch(() => over.abort());
  await sleep(roundSeconds * 1_000, undefined, { signal: stop }).catch(() => undefined);
  over.abort();
  const pauses = await moving;
  if (pauses !== null) tell(movesOf(round, pauses, stage.refusals.length));
  const freezes = (await Promise.all(troubles)).reduce((sum, count) => sum + count, 0);
  await Promise.all(
    stage.messengers.flatMap(({ crowd }) => (crowd.given === undefined ? [crowd.end()] : [])),
  );
  await failed;
  const mayLack = faults?.mayLose === true && faults.newTimelines() > timelines;
  const verdict = await judge(stage, { number: round, conversations, beginning, freezes }, mayLack);
  await keepTraces(stage, conversations, verdict);
  return verdict;
}

/** The emulators' records of conversations with violations, stored beside the nodes' logs. */
async function keepTraces(
  { directory }: Stage,
  conversations: readonly Conversation[],
  { violations }: Verdict,
): Promise<void> {
  for (const { name, chat, messenger } of conversations) {
    const isBroken = violations.some(({ conversation }) => conversation.startsWith(`${name} `));
    if (!isBroken) continue;
    const trace = await messenger.crowd.trace?.(chat);
    if (trace !== undefined) await writeFile(join(directory, `${name}.json`), JSON.stringify(trace, null, 1));
  }
}

function movesOf(round: number, pauses: Pauses, refusals: number): string {
  return `round ${round}: ${pauses.length} moves; requests waited for ${Math.max(0, ...pauses)} s at most; ${refusals} were refused`;
}

function summary(round: number, { counts, losses, restMs, violations }: Verdict): string {
  const lost = [...losses].map(([kind, count]) => `${count} ${kind}`);
  const result = [...lost, violations.length === 0 ? "all is well" : `${violations.length} violations`].join(
    ", ",
  );
  return `round ${round}: ${countsText(counts)}; at rest after ${(restMs / 1_000).toFixed(1)} s; ${result}`;
}

/** Each node ends on request, and none died of an unexpected error. */
async function endInOrder({ nodes }: Stage): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const node of nodes) {
    const exit = await node.stop();
    if (exit?.code === 0) continue;
    violations.push({
      conversation: node.name,
      rule: "ends in order",
      what: JSON.stringify(exit),
      mayCome: false,
    });
  }
  return violations;
}
