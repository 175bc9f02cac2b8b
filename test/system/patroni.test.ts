import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { findPrograms, missingText } from "../../soak/patroni/programs.ts";

const SOAK = join(import.meta.dirname, "../../soak/main.ts");
const run = promisify(execFile);

async function soak(...args: readonly string[]): Promise<string> {
  const all = [SOAK, "--patroni", ...args];
  const options = { maxBuffer: 2 ** 26, timeout: 800_000 };
  const { stdout, stderr } = await run(process.execPath, all, options).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return stdout + stderr;
}

const found = findPrograms();
if ("missing" in found) console.warn(`Not tested: ${missingText(found.missing)}`);

describe.skipIf("missing" in found)("three members with Patroni", () => {
  test("mixed traffic survives a switchover, configured by deploy/patroni", async () => {
    const output = await soak(
      "--fault",
      "switchover",
      "--minutes",
      "0.2",
      "--round-seconds",
      "12",
      "--people",
      "1",
    );
    expect(output).toMatch(/switchover: pg\d to pg\d/);
    expect(output).toMatch(/^[1-9]\d* new timelines$/m);
    expect(output).toContain("PASSED");
  });
});

test("a fault that there is not is refused, before anything is started", async () => {
  expect(await soak("--fault", "nothing")).toMatch(
    /^there is no fault "nothing", only: the leader's machine dies;/,
  );
});
