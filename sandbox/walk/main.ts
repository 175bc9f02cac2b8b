import { parseArgs } from "node:util";
import { foldersWith } from "../emulators.ts";
import { tableOf, type Walked, walkAll } from "./all.ts";
import type { Walk } from "./contract.ts";
import { setStage } from "./stage.ts";
import { type Outcome, runSteps } from "./step.ts";

const FILE = import.meta.url.endsWith(".ts") ? "walk.ts" : "walk.js";

const { values } = parseArgs({
  options: { transport: { type: "string", default: "" }, json: { type: "boolean", default: false } },
});
const names = foldersWith(FILE);
if (values.transport === "all") {
  process.exitCode = (await walkThroughAll()) ? 0 : 1;
} else if (names.includes(values.transport)) {
  process.exitCode = (await walkThrough(values.transport)) ? 0 : 1;
} else {
  console.error(`There is no walk through "${values.transport}", only through ${names.join(", ")}, or "all"`);
  process.exitCode = 2;
}

/** Whether all steps succeeded. */
async function walkThroughAll(): Promise<boolean> {
  const told = ({ transport, failed, steps, problem }: Walked): void => {
    const result = `${steps.length - failed} of ${steps.length} steps went as they should`;
    console.error(`${transport}: ${problem ?? result}`);
  };
  const walks = await walkAll(names, told);
  const failed = walks.reduce((sum, walk) => sum + walk.failed, 0);
  console.log(values.json ? JSON.stringify({ failed, walks }, null, 2) : tableOf(walks));
  return failed === 0;
}

async function walkThrough(transport: string): Promise<boolean> {
  const { default: walk }: { default: Walk } = await import(`../${transport}/${FILE}`);
  const stage = await setStage(transport, walk);
  try {
    const steps = walk.steps(stage);
    const width = Math.max(...steps.map(({ name }) => name.length));
    const tell = (outcome: Outcome): void => {
      if (!values.json) console.log(line(outcome, width));
    };
    const outcomes = await runSteps(steps, tell);
    const failed = outcomes.filter(({ ok }) => !ok).length;
    if (values.json) console.log(JSON.stringify({ transport, failed, steps: outcomes }, null, 2));
    else console.log(`${outcomes.length - failed} of ${outcomes.length} steps went as they should`);
    return failed === 0;
  } finally {
    await stage.close();
  }
}

function line({ step, ok, what, ms }: Outcome, width: number): string {
  return `${ok ? "ok    " : "FAILED"}  ${step.padEnd(width)}  ${String(ms).padStart(6)} ms  ${what}`;
}
