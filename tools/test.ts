import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/**
 * `npm test`: everything, or with arguments only the selected files of all projects, for example `npm test --
 * telegram` for every test file with that word in its path. The arguments are passed to Vitest.
 *
 * If everything is run and a few files fail, they are run again with nothing beside them: what fails then decides, and what
 * passes then is named at the end, for it depends on time and is a bug as well.
 */
const selection = process.argv.slice(2);
const SLOW = ["sandbox", "api", "system", "browser"].flatMap((project) => ["--project", project]);
/** More are not a matter of time. */
const FILES_RUN_AGAIN = 5;

if (selection.length > 0) process.exit(run("vitest", "run", ...selection));
const checked = run("npm", "run", "check");
process.exit(checked === 0 ? runSlow() : checked);

/** Runs a program of this package, and returns its exit status. */
function run(program: string, ...args: readonly string[]): number {
  return spawnSync(program, args, { stdio: "inherit" }).status ?? 1;
}

function runSlow(): number {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-results-"));
  try {
    const report = join(folder, "results.json");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const status = run("vitest", "run", ...SLOW, ...reporters);
    if (status === 0) return 0;
    const files = failedFiles(report);
    if (files.length === 0 || files.length > FILES_RUN_AGAIN) return status;
    console.error(`\nFailed, and run again with nothing beside them:${listed(files)}`);
    const again = run("vitest", "run", ...SLOW, "--no-file-parallelism", ...files);
    if (again === 0) console.error(`\nPassed only when run again, see their failures above:${listed(files)}`);
    return again;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** None if Vitest itself failed, or if only errors outside of tests made the run fail. */
function failedFiles(report: string): string[] {
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
      testResults: { name: string; status: string }[];
    };
    const failed = testResults.filter(({ status }) => status === "failed");
    return failed.map(({ name }) => relative(process.cwd(), name));
  } catch {
    return [];
  }
}

function listed(files: readonly string[]): string {
  return files.map((file) => `\n  ${file}`).join("");
}
