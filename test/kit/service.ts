import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { INHERITED } from "./environment.ts";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");

/** Settings of one service, as its environment. */
export type Environment = Readonly<Record<string, string>>;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The whole service as a process. */
export interface ServiceProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it has written so far. */
  output(): string;
  /** Sends a signal and resolves with the end. */
  end(signal: NodeJS.Signals): Promise<Exit>;
  /** Resolves when it ends, whatever the reason. */
  readonly ended: Promise<Exit>;
}

/**
 * Starts the service and resolves when it says that it is ready. Throws with its output when it ends instead. `main`: the
 * program, where it is not the checkout's.
 */
export async function startService(environment: Environment, main = MAIN): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [main, "start"], {
    cwd: environment["DATA_DIR"],
    env: { ...INHERITED, ...DEFAULTS, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }) as Exit);
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      const ready = readyUrl(line);
      if (ready !== undefined) resolve(ready);
    });
    void ended.then(({ code }) => reject(new Error(`the service ended with ${code}:\n${lines.join("\n")}`)));
  });
  return {
    url,
    child,
    ended,
    output: () => lines.join("\n"),
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

const DEFAULTS: Environment = {
  HOST: "127.0.0.1",
  PORT: "0",
  SANDBOX: "0",
  LOG_FORMAT: "json",
  LOG_LEVEL: "info",
  ALLOW_NETWORKS: "127.0.0.0/8",
  // A machine that stops for five seconds keeps it.
  NODE_LEASE_MS: "9000",
  RATE_LIMIT_PER_MINUTE: "0",
  QUOTA_CHANNELS: "0",
  QUOTA_UNLINKED_CHANNELS: "0",
  QUOTA_WAITING_SENDS: "0",
  PACING: "off",
};

function readyUrl(line: string): string | undefined {
  if (!line.includes('"Trunkline is ready"')) return undefined;
  return (JSON.parse(line) as { url: string }).url;
}

export interface Account {
  readonly accountId: number;
  readonly accessToken: string;
  readonly apiKey: string;
}

/** By the command line, while the service may run. */
export async function createAccount(environment: Environment, main = MAIN): Promise<Account> {
  return JSON.parse(await runCommand(environment, ["account", "create", "--name", "Shop", "--json"], main));
}

/** What a command of this program prints. Throws if it fails. */
export async function runCommand(
  environment: Environment,
  command: readonly string[],
  main = MAIN,
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...command], {
    cwd: environment["DATA_DIR"],
    env: { ...INHERITED, SANDBOX: "0", ...environment },
  });
  return stdout;
}
