import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { sendSignal } from "../../src/database/embedded/processes.ts";

export interface ProgramOptions {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly logFile: string;
}

const RESTART_MS = 500;

/** A program that is started again when it ends by itself, as systemd does. */
export class Program {
  readonly #options: ProgramOptions;
  readonly #log: number;
  #child: ChildProcess | null = null;
  #isWanted = false;

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.#log = openSync(options.logFile, "a");
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    this.#isWanted = true;
    if (this.#child === null) this.#launch();
  }

  /** Resolves when it has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (child === null) return;
    const ended = once(child, "exit");
    sendSignal(child.pid, signal);
    await ended;
  }

  signal(signal: NodeJS.Signals): void {
    sendSignal(this.pid, signal);
  }

  /** Kills it without waiting. */
  kill(): void {
    this.#isWanted = false;
    this.signal("SIGKILL");
  }

  #launch(): void {
    const { command, environment, directory } = this.#options;
    const [name = "", ...args] = command;
    const child = spawn(name, args, {
      cwd: directory,
      env: environment,
      stdio: ["ignore", this.#log, this.#log],
    });
    this.#child = child;
    child.on("error", () => undefined);
    child.once("exit", () => void this.#again(child));
  }

  async #again(child: ChildProcess): Promise<void> {
    if (this.#child === child) this.#child = null;
    await sleep(RESTART_MS, undefined, { ref: false });
    if (this.#isWanted && this.#child === null) this.#launch();
  }
}
