import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { WhatsappReport } from "./main.ts";
import type { WhatsappAddress } from "./server.ts";

const stopPatienceMs = 3000;

/** The emulated WhatsApp in a process of its own, started when first asked for and ended with `stop`. */
export class WhatsappProcess {
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  #address: Promise<WhatsappAddress> | undefined;

  constructor(setup: { host: string; dataDir: string | undefined; seedDemo?: boolean }) {
    this.#args = [
      "--host",
      setup.host,
      ...(setup.dataDir === undefined ? [] : ["--data", setup.dataDir]),
      ...(setup.seedDemo ? ["--demo"] : []),
    ];
  }

  /** Resolves once it listens; the same for all who ask. Rejects when it ends before that. */
  start(): Promise<WhatsappAddress> {
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

  #start(): Promise<WhatsappAddress> {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const main = fileURLToPath(new URL(`./main.${extension}`, import.meta.url));
    const child = fork(main, this.#args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#child = child;
    return new Promise((resolve, reject) => {
      child.once("message", (report: WhatsappReport) => resolve(report));
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`the emulated WhatsApp ended with code ${code}`)));
    });
  }
}
