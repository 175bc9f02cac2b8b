#!/usr/bin/env -S node --max-semi-space-size=64 --heap-growing-percent=200
// Nothing is imported up here but what every Node has: an old one should hear what is missing, not fail to parse.
import * as nodeModule from "node:module";

const NEEDED_MAJOR = 24;

if (Number.parseInt(process.versions.node, 10) < NEEDED_MAJOR) {
  process.stderr.write(
    `Trunkline needs Node.js ${NEEDED_MAJOR} or newer; this is ${process.versions.node}. See https://nodejs.org/en/download\n`,
  );
  process.exitCode = 1;
} else {
  nodeModule.enableCompileCache();
  const { runCommandLine } = await import("./run.ts");
  await runCommandLine(process.argv.slice(2));
}
