import { closeSync, openSync } from "node:fs";
import { releaseMemoryAfterBursts } from "../../../src/platform/memory.ts";

/** Opens files until none can be opened, watches its memory for a while, and closes them again. */
const LOOK_MS = 10;
const say = (word: string): void => void process.stdout.write(`${word}\n`);

say("starts");
const open: number[] = [];
try {
  for (;;) open.push(openSync("/dev/null", "r"));
} catch (error) {
  say(String((error as NodeJS.ErrnoException).code));
}
releaseMemoryAfterBursts({ atOnce: true, lookMs: LOOK_MS });
let looks = 0;
setInterval(() => {
  looks++;
  if (looks === 10) for (const descriptor of open) closeSync(descriptor);
  if (looks === 20) process.exit(0);
}, LOOK_MS);
