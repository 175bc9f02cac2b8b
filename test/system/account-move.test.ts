import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SOAK = join(import.meta.dirname, "../../soak/main.ts");

/** A short `npm run soak -- --moves`, with the check of the soak. */
test("accounts move between two cells under traffic, and nothing is lost, repeated or reordered", async () => {
  const seed = String(Math.floor(Math.random() * 1e9));
  const options = ["--moves", "--calm", "--nodes", "1", "--minutes", "0.5", "--round-seconds", "30"];
  const run = promisify(execFile)(process.execPath, [SOAK, ...options, "--seed", seed], {
    maxBuffer: 2 ** 26,
    timeout: 600_000,
  });
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => ({
    stdout: error.stdout + error.stderr,
  }));
  expect(stdout).toContain("PASSED");
  expect(stdout).toMatch(/round 1: [1-9]\d* moves/);
});
