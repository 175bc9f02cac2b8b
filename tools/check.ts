import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/**
 * `npm run check`: format, lint, types, unused code and unit tests. Unit tests often wait for timers and sockets, so the
 * other checks run beside them, one after another. All checks run, even if one fails; the failures are printed last.
 */
type Command = readonly [program: string, ...args: string[]];

// With its default of four checkers, the compiler does part of the work four times.
const CHECKS: readonly Command[] = [
  ["biome", "check", "."],
  ["tsc", "--noEmit", "--checkers", "1"],
  ["tsc", "--noEmit", "--checkers", "1", "-p", "web"],
  ["tsc", "--noEmit", "--checkers", "1", "-p", "clients/embed"],
  ["tsc", "--noEmit", "--checkers", "1", "-p", "clients/typescript"],
  ["tsc", "--noEmit", "--checkers", "1", "-p", "clients/whatsapp-passkey"],
  // Against types of our own: n8n's bring 700 MB.
  ["tsc", "--noEmit", "--checkers", "1", "-p", "test/kit/n8n-workflow"],
  ["knip"],
];

const tests = spawn("vitest", ["run", "--project", "unit"], { stdio: "inherit" });
const ended = once(tests, "close");
const failures: string[] = [];
for (const check of CHECKS) failures.push(...(await failuresOf(check)));
const [status] = await ended;
if (status !== 0) failures.push("vitest failed: see above");
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Runs a program of this package. A failure has all that the program printed. */
async function failuresOf([program, ...args]: Command): Promise<string[]> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return status === 0 ? [] : [`${[program, ...args].join(" ")} failed:\n${stdout}${stderr}`];
}
