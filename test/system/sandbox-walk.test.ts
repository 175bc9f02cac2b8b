import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");

interface Walked {
  readonly failed: number;
  readonly steps: readonly { readonly step: string; readonly ok: boolean; readonly what: string }[];
}

const walk = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, "sandbox", "walk", ...args]);

const SANDBOX = join(import.meta.dirname, "../../sandbox");
const TRANSPORTS = join(import.meta.dirname, "../../src/transports");
const has = (folder: string, name: string, file: string): boolean => existsSync(join(folder, name, file));
// An emulator may be there before its connector.
const names = readdirSync(SANDBOX).filter(
  (name) => has(SANDBOX, name, "walk.ts") && has(TRANSPORTS, name, "index.ts"),
);

// Several at a time: a walk mostly waits for its emulator, its service and its nodes to start and end.
test.concurrent.each(names)("every step of the walk through %s goes as it should", async (transport) => {
  // Status 1 says that a step went wrong; which one, the table tells.
  const { stdout } = await walk("--transport", transport, "--json").catch(
    (error: { stdout: string }) => error,
  );
  const { failed, steps } = JSON.parse(stdout) as Walked;
  expect(steps.filter(({ ok }) => !ok)).toEqual([]);
  expect(failed).toBe(0);
  expect(steps.length).toBeGreaterThan(20);
});

test("a walk through something else is refused with what there is", async () => {
  const refused = walk("--transport", "pigeon");
  await expect(refused).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("telegram") });
});
