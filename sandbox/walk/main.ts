import { parseArgs } from "node:util";
import { foldersWith } from "../emulators.ts";
import { setStage } from "./stage.ts";
import { type Outcome, runSteps, type Walk } from "./step.ts";

const FILE = import.meta.url.endsWith(".ts") ? "walk.ts" : "walk.js";

const { values } = parseArgs({
  options: { transport: { type: "string", default: "" }, json: { type: "boolean", default: false } },
});
const names = foldersWith(FILE);
if (!names.includes(values.transport)) {
  console.error(`There is no walk through "${values.transport}", only through ${names.join(", ")}`);
  process.exit(2);
}
const { default: walk }: { default: Walk } = await import(`../${values.transport}/${FILE}`);

const stage = await setStage(values.transport, walk);
try {
  const steps = walk.steps(stage);
  const width = Math.max(...steps.map(({ name }) => name.length));
  const tell = (outcome: Outcome): void => {
    if (!values.json) console.log(line(outcome, width));
  };
  const outcomes = await runSteps(steps, tell);
  const failed = outcomes.filter(({ ok }) => !ok).length;
  if (values.json)
    console.log(JSON.stringify({ transport: values.transport, failed, steps: outcomes }, null, 2));
  else console.log(`${outcomes.length - failed} of ${outcomes.length} steps went as they should`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await stage.close();
}

function line({ step, ok, what, ms }: Outcome, width: number): string {
  return `${ok ? "ok    " : "FAILED"}  ${step.padEnd(width)}  ${String(ms).padStart(6)} ms  ${what}`;
}
