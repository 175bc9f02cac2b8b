import { spawnSync } from "node:child_process";

/**
 * `npm test`: everything, or with arguments only the selected files of all projects, for example `npm test --
 * telegram` for every test file with that word in its path. The arguments are passed to Vitest.
 */
const selection = process.argv.slice(2);
const SLOW = ["sandbox", "api", "system", "browser"].flatMap((project) => ["--project", project]);

/** Runs a program of this package, and exits with its status if it fails. */
function run(program: string, ...args: readonly string[]): void {
  const { status } = spawnSync(program, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

if (selection.length === 0) run("npm", "run", "check");
run("vitest", "run", ...(selection.length === 0 ? SLOW : selection));
