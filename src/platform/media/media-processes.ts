import { type ChildProcess, fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { messageOf } from "../message-of.ts";
import type { MediaJob, MediaResult } from "./shape.ts";

const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "./program.ts" : "./program.js", import.meta.url);
const TIMEOUT_MS = 60_000;
/** One at a time: a conversion uses a whole processor. */
const MAX_CONCURRENT = 1;
/** A further file is not worth the wait. */
const MAX_WAITING = 32;
/** Of this process, only what a program needs to start; none of its secrets. */
const INHERITED = ["PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot"];

/**
 * Runs each job in a process of its own that ends with the job, so that nothing stays in memory while there is none,
 * and a file that crashes a codec harms only itself.
 */
export class MediaProcesses {
  readonly #program: URL;
  readonly #timeoutMs: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: { readonly program?: URL; readonly timeoutMs?: number } = {}) {
    this.#program = options.program ?? PROGRAM;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /** Never rejects; a failure has a reason for the log. A file at `output` may be incomplete after a failure. */
  async run(job: MediaJob, signal: AbortSignal): Promise<MediaResult> {
    if (this.#waiting.length >= MAX_WAITING) return failed("Too many files are being converted");
    if (this.#running >= MAX_CONCURRENT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      return signal.aborted ? failed("It is no longer needed") : await this.#runNow(job, signal);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #runNow(job: MediaJob, signal: AbortSignal): Promise<MediaResult> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)]);
    let child: ChildProcess;
    try {
      child = this.#start();
    } catch (error) {
      return failed(messageOf(error));
    }
    const { promise, resolve } = Promise.withResolvers<MediaResult>();
    const end = (): void => resolve(failed(signal.aborted ? "It is no longer needed" : "It takes too long"));
    child.once("message", (result) => resolve(result as MediaResult));
    child.once("error", (error) => resolve(failed(messageOf(error))));
    child.once("exit", (code, by) => resolve(failed(`The process ended with ${by ?? code}`)));
    limit.addEventListener("abort", end, { once: true });
    child.send(job, () => undefined);
    try {
      return await promise;
    } finally {
      limit.removeEventListener("abort", end);
      child.kill("SIGKILL");
    }
  }

  #start(): ChildProcess {
    const child = fork(fileURLToPath(this.#program), [], {
      env: Object.fromEntries(INHERITED.map((name) => [name, process.env[name]])),
      execArgv: ["--max-old-space-size=192"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    try {
      // Chats go first.
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    } catch {
      // It has ended, or the system has no priorities.
    }
    return child;
  }
}

const failed = (reason: string): MediaResult => ({ kind: "failed", reason });
