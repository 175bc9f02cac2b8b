#!/usr/bin/env -S node --max-semi-space-size=64 --heap-growing-percent=200
// No static imports here, so that an old Node version reports the requirement instead of a syntax error.

const NEEDED_MAJOR = 24;

if (Number.parseInt(process.versions.node, 10) < NEEDED_MAJOR) {
  process.stderr.write(
    `Trunkline needs Node.js ${NEEDED_MAJOR} or newer; this is ${process.versions.node}. See https://nodejs.org/en/download\n`,
  );
  process.exitCode = 1;
} else {
  const argv = process.argv.slice(2);
  const { keepCompiledCode } = await import("./compile-cache.ts");
  keepCompiledCode(argv);
  const { runCommandLine } = await import("./run.ts");
  await runCommandLine(argv);
}
