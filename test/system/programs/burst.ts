import { getHeapSpaceStatistics } from "node:v8";
import { releaseMemoryAfterBursts } from "../../../src/platform/memory.ts";

/** Works until its young generation is large, and then reports its size, in megabytes. */
const youngMegabytes = (): number => {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  return (young?.physical_space_size ?? 0) / 1024 / 1024;
};
const say = (word: string): void => void process.stdout.write(`${word} ${youngMegabytes()}\n`);

const kept: object[][] = [];
for (let round = 0; youngMegabytes() < 32 && round < 10_000; round++) {
  kept.push(Array.from({ length: 10_000 }, () => ({ round })));
  if (kept.length > 50) kept.shift();
}
kept.length = 0;
say("worked");
releaseMemoryAfterBursts({ lookMs: 50 });
setInterval(() => say("waits"), 50);
