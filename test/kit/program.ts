import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A child process that answers each command line with a line of JSON. */
export interface Program {
  readonly child: ChildProcess;
  /** Its next line. */
  next(): Promise<Record<string, unknown>>;
  tell(line: string): Promise<Record<string, unknown>>;
  /** Sends the signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

export function startProgram(path: string, args: readonly string[]): Program {
  const child = spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, unknown>> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${path} ended without an answer`);
    return JSON.parse(value) as Record<string, unknown>;
  };
  return {
    child,
    next,
    tell(line) {
      child.stdin.write(`${line}\n`);
      return next();
    },
    async kill(signal) {
      child.kill(signal);
      await ended;
    },
  };
}
