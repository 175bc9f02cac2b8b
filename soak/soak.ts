import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beginningOf } from "./check/collect.ts";
import type { Violation } from "./check/facts.ts";
import { judge, type Verdict } from "./check/verdict.ts";
import { createRandom, type Random } from "./random.ts";
import { type Stage, type StageOptions, setStage } from "./stage.ts";
import { type Conversation, openConversations, talk } from "./traffic.ts";
import { makeTrouble } from "./trouble/make.ts";

export interface SoakOptions extends StageOptions {
  /** Total duration of the trouble. */
  readonly minutes: number;
  readonly roundSeconds: number;
  readonly seed: string;
  /** New people at each messenger in each round. */
  readonly people: number;
  /** Without trouble. */
  readonly calm: boolean;
  tell(line: string): void;
}

export interface Result {
  /** Empty if every guarantee held. */
  readonly violations: readonly Violation[];
  /** Directory of the nodes' logs, if a guarantee was violated. */
  readonly logs: string;
}

/** How many troubles run concurrently. */
const HANDS = 2;

/** Runs rounds until the time is over or one finds a violation. */
export async function soak(options: SoakOptions): Promise<Result> {
  const random = createRandom(options.seed);
  const rounds = Math.max(1, Math.round((options.minutes * 60) / options.roundSeconds));
  options.tell(`seed ${options.seed}: ${rounds} rounds of ${options.roundSeconds} s`);
  const stage = await setStage(options);
  let violations: readonly Violation[] = [];
  try {
    for (let round = 1; round <= rounds && violations.length === 0; round++) {
      const verdict = await runRound(stage, round, options, random.fork(`round ${round}`));
      options.tell(summary(round, verdict));
      violations = verdict.violations;
    }
    violations = [...violations, ...(await endInOrder(stage))];
  } finally {
    await stage.close(violations.length > 0);
  }
  return { violations, logs: stage.directory };
}

async function runRound(
  stage: Stage,
  round: number,
  { roundSeconds, people, calm, tell }: SoakOptions,
  random: Random,
): Promise<Verdict> {
  const beginning = beginningOf(stage);
  const conversations = await openConversations(stage, round, people);
  const over = new AbortController();
  const stop = over.signal;
  const began = performance.now();
  const since = (ms: number): string => ((ms - began) / 1_000).toFixed(1);
  const tellWhen = (what: string, sinceMs: number): void =>
    tell(`  ${round}: ${since(sinceMs)}–${since(performance.now())} s  ${what}`);
  const troubles = Array.from({ length: calm ? 0 : HANDS }, (_, hand) =>
    makeTrouble(stage, { random: random.fork(`hand ${hand}`), stop, tell: tellWhen }),
  );
  const talking = talk(stage, conversations, { random: random.fork("traffic"), stop });
  const failed = Promise.all([talking, ...troubles]);
  // Reported below; until then it must not count as unhandled.
  failed.catch(() => over.abort());
  await sleep(roundSeconds * 1_000, undefined, { signal: stop }).catch(() => undefined);
  over.abort();
  const freezes = (await Promise.all(troubles)).reduce((sum, count) => sum + count, 0);
  await Promise.all(
    stage.messengers.flatMap(({ crowd }) => (crowd.given === undefined ? [crowd.end()] : [])),
  );
  await failed;
  const verdict = await judge(stage, { number: round, conversations, beginning, freezes });
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

function summary(round: number, { counts, restMs, violations }: Verdict): string {
  const { accepted, sent, unknown, told, edits } = counts;
  const result = violations.length === 0 ? "all is well" : `${violations.length} violations`;
  return `round ${round}: ${accepted} accepted, ${sent} sent, ${unknown} unknown, ${edits} edited, ${told} told; at rest after ${(restMs / 1_000).toFixed(1)} s; ${result}`;
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
