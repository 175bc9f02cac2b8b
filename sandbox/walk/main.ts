import { parseArgs } from "node:util";
import { setStage } from "./stage.ts";
import { type Outcome, runSteps, type Walk } from "./step.ts";
import { telegram } from "./telegram.ts";
import { wapi } from "./wapi.ts";
import { whatsapp } from "./whatsapp.ts";

const WALKS: Readonly<Record<string, Walk>> = { telegram, wapi, whatsapp };

const { values } = parseArgs({
  options: { transport: { type: "string", default: "" }, json: { type: "boolean", default: false } },
});
const walk = WALKS[values.transport];
if (walk === undefined) {
  console.error(
    `There is no walk through "${values.transport}", only through ${Object.keys(WALKS).join(", ")}`,
  );
  process.exit(2);
}

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
