import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import manifest from "../../package.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The service's log line with its address. */
const READY = /"url":"(http:[^"]+)"[^\n]*Trunkline is ready/;

/** A program of this repository in a separate process. */
export interface Running {
  readonly pid: number;
  readonly url: string;
  stop(): Promise<void>;
  /** Sends this signal and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts the service as `npm start` does. */
export function runService(env: Readonly<Record<string, string>>): Promise<Running> {
  const words = manifest.scripts.start.split(" ");
  return runNode(words.slice(words.indexOf("node") + 1), env, READY);
}

/** Starts a program and resolves with the address that it prints. */
export async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  address: RegExp,
): Promise<Running> {
  return runNode([program, ...args], env, address);
}

async function runNode(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  address: RegExp,
): Promise<Running> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const url = await firstMatch(child, address, args.join(" "));
  return {
    pid: child.pid ?? 0,
    url,
    stop: () => end(child, "SIGTERM"),
    end: (signal) => end(child, signal),
  };
}

async function firstMatch(child: ChildProcess, pattern: RegExp, program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      if (text === "found") return;
      text += chunk;
      const found = pattern.exec(text)?.[1];
      if (found === undefined) return;
      text = "found";
      resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`${program} ended with code ${code}:\n${text}`)));
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}
