import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

const stopPatienceMs = 3000;

/**
 * An emulator in a separate process, started on demand and ended with `stop`. Its program gets `--host`, `--data` and
 * `--demo`, sends one message with its address once it listens, and ends with its parent.
 */
export class EmulatorProcess<Address> {
  readonly #program: string;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  #address: Promise<Address> | undefined;

  /** `program`: the path of the module to run. */
  constructor(program: string, setup: { host: string; dataDir: string | undefined; seedDemo?: boolean }) {
    this.#program = program;
    this.#args = [
      "--host",
      setup.host,
      ...(setup.dataDir === undefined ? [] : ["--data", setup.dataDir]),
      ...(setup.seedDemo ? ["--demo"] : []),
    ];
  }

  /** Resolves once it listens; the same promise for all callers. Rejects if it ends before that. */
  start(): Promise<Address> {
    this.#address ??= this.#start();
    return this.#address;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const timer = setTimeout(() => child.kill("SIGKILL"), stopPatienceMs);
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    await exit;
    clearTimeout(timer);
  }

  #start(): Promise<Address> {
    const child = fork(this.#program, this.#args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#child = child;
    return new Promise((resolve, reject) => {
      child.once("message", (report: Address) => resolve(report));
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`${this.#program} ended with code ${code}`)));
    });
  }
}
