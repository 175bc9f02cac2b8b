import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";
const MAIN = fileURLToPath(new URL(`../../src/cli/main.${EXTENSION}`, import.meta.url));
const READY = /"url":"(http:[^"]+)"[^\n]*Trunkline is ready/;
const START_PATIENCE_MS = 180_000;

/** One process of the service. */
export interface Service {
  readonly url: string;
  /** Graceful, by SIGTERM. */
  stop(): Promise<void>;
  /** Like a crash, by SIGKILL. */
  kill(): Promise<void>;
}

export interface Account {
  readonly accessToken: string;
  readonly apiKey: string;
}

/** Starts the service as an operator does; resolves once it is ready. Throws with its last output if it ends. */
export async function startService(env: Readonly<Record<string, string>>): Promise<Service> {
  const child = spawn(process.execPath, [MAIN, "start"], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  const url = await readyUrl(child).catch(async (error: unknown) => {
    await end("SIGKILL");
    throw error;
  });
  return { url, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

function readyUrl(child: ChildProcess): Promise<string> {
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the service did not start in time")), START_PATIENCE_MS);
    const listen = (chunk: Buffer): void => {
      said.push(chunk.toString());
      const url = READY.exec(said.join(""))?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      said.length = 0;
      resolve(url);
    };
    child.stdout?.on("data", listen);
    child.stderr?.on("data", listen);
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`the service ended with code ${code}: ${said.join("").slice(-500)}`));
    });
  });
}

/** Creates an account in the running installation of `env`. */
export async function createAccount(env: Readonly<Record<string, string>>): Promise<Account> {
  const command = [MAIN, "account", "create", "--name", "Walk", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout) as Account;
}
