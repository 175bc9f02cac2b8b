import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");

interface Walked {
  readonly transport: string;
  readonly failed: number;
  readonly steps: readonly { readonly step: string; readonly ok: boolean; readonly what: string }[];
  readonly problem?: string;
}

const walk = (...args: string[]) =>
  promisify(execFile)(process.execPath, [MAIN, "sandbox", "walk", ...args], { maxBuffer: 2 ** 26 });

const SANDBOX = join(import.meta.dirname, "../../sandbox");
const TRANSPORTS = join(import.meta.dirname, "../../src/transports");
const has = (folder: string, name: string, file: string): boolean => existsSync(join(folder, name, file));
// An emulator may exist before its connector.
const names = readdirSync(SANDBOX).filter(
  (name) => has(SANDBOX, name, "walk.ts") && has(TRANSPORTS, name, "index.ts"),
);

test("every step of the walks through all transports succeeds", async () => {
  // Status 1 means that a step failed; the table shows which one.
  const { stdout } = await walk("--transport", "all", "--json").catch((error: { stdout: string }) => error);
  const { failed, walks } = JSON.parse(stdout) as { failed: number; walks: readonly Walked[] };
  const wrong = walks.flatMap(({ transport, steps, problem }) => [
    ...(problem === undefined ? [] : [`${transport}: ${problem}`]),
    ...steps.filter(({ ok }) => !ok).map(({ step, what }) => `${transport}: ${step}: ${what}`),
  ]);
  expect(wrong).toEqual([]);
  expect(failed).toBe(0);
  expect(walks.map(({ transport }) => transport).toSorted()).toEqual(names.toSorted());
  for (const { transport, steps } of walks) expect(steps.length, transport).toBeGreaterThan(20);
});

test("a walk through an unknown transport is refused with the list of transports", async () => {
  const refused = walk("--transport", "pigeon");
  await expect(refused).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("telegram") });
});
