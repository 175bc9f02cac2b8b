import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SOAK = join(import.meta.dirname, "../../soak/main.ts");

/** A short `npm run soak`: every guarantee holds while nodes, connections, messengers and receivers fail. */
test("mixed traffic over two nodes survives random failures", async () => {
  const seed = String(Math.floor(Math.random() * 1e9));
  const args = [SOAK, "--minutes", "1.5", "--round-seconds", "45", "--seed", seed];
  const run = promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26, timeout: 800_000 });
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => ({
    stdout: error.stdout + error.stderr,
  }));
  expect(stdout).toContain("PASSED");
});
