import { type ChildProcess, fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { messageOf } from "../message-of.ts";
import { Turns } from "../queue/turns.ts";
import type { MediaJob, MediaResult } from "./shape.ts";

const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "./program.ts" : "./program.js", import.meta.url);
const TIMEOUT_MS = 60_000;
/** One at a time: a conversion uses a whole processor. */
const MAX_CONCURRENT = 1;
/** A process that is ended may take this long. */
const ENDING_MS = 10_000;
/** Of this process, only what a program needs to start; none of its secrets. */
const INHERITED = ["PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot"];

/**
 * Runs each job in a process of its own that ends with the job, so that nothing stays in memory while there is none,
 * and a file that crashes a codec harms only itself.
 */
export class MediaProcesses {
  readonly #program: URL;
  readonly #timeoutMs: number;
  readonly #turns: Turns;

  constructor(options: { readonly program?: URL; readonly timeoutMs?: number } = {}) {
    this.#program = options.program ?? PROGRAM;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#turns = new Turns({
      maxConcurrent: () => MAX_CONCURRENT,
      countsForMs: this.#timeoutMs + ENDING_MS,
    });
  }

  /**
   * Owners take turns. Never rejects; a failure has a reason for the log. A file at `output` may be incomplete after a
   * failure.
   */
  run(owner: string | number, job: MediaJob, signal: AbortSignal): Promise<MediaResult> {
    return this.#turns.run(owner, async () =>
      signal.aborted ? failed("It is no longer needed") : this.#runNow(job, signal),
    );
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
      // Chats go first. With PRIORITY_LOW, a conversion of a second would exceed the limit while the processors are busy.
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // It has ended, or the system has no priorities.
    }
    return child;
  }
}

const failed = (reason: string): MediaResult => ({ kind: "failed", reason });
