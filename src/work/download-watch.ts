import { addAbortSignal, pipeline, type Readable, Transform } from "node:stream";
import { ClaimLost } from "../core/file/room.ts";
import { Pace } from "../platform/file/pace.ts";

export interface DownloadTiming {
  /** A download without new bytes for this long ends; shorter than the claim on its file. */
  readonly silentMs: number;
  /** Limit of the whole download. */
  readonly longestMs: number;
  /** How often the claim is extended while bytes arrive. */
  readonly extendEveryMs: number;
}

export interface DownloadWatchOptions {
  readonly timing: DownloadTiming;
  /** Extends the claim on the file; false: it is lost. */
  extendClaim(): Promise<boolean>;
  onError(error: unknown): void;
}

/**
 * Watches one download: ends it when no bytes arrive or too few (see `Pace`), and extends the claim on its file while
 * they do. A host that sends slowly, or nothing any more, does not occupy the node.
 */
export class DownloadWatch {
  readonly #options: DownloadWatchOptions;
  readonly #end = new AbortController();
  readonly #silence: NodeJS.Timeout;
  readonly #limit: NodeJS.Timeout;
  readonly #extending: NodeJS.Timeout;
  readonly #pace = new Pace((reason) => this.#abort(reason));
  #hasNewBytes = false;

  constructor(options: DownloadWatchOptions) {
    this.#options = options;
    const { silentMs, longestMs, extendEveryMs } = options.timing;
    this.#silence = setTimeout(() => this.#abort("No bytes of the file arrived for too long"), silentMs);
    this.#limit = setTimeout(() => this.#abort("The download took too long"), longestMs);
    this.#extending = setInterval(() => void this.#extend(), extendEveryMs);
  }

  /** Aborts when the download has to end. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** The same bytes; reading them fails when `signal` aborts. */
  follow(stream: Readable, signal: AbortSignal): Readable {
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#silence.refresh();
        this.#pace.add(chunk.length);
        this.#hasNewBytes = true;
        done(null, chunk);
      },
    });
    // An error destroys both; the reader gets it.
    pipeline(stream, counted, () => undefined);
    return addAbortSignal(signal, counted);
  }

  stop(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#limit);
    clearInterval(this.#extending);
    this.#pace.stop();
  }

  #abort(reason: string): void {
    this.#end.abort(new Error(reason));
  }

  async #extend(): Promise<void> {
    if (!this.#hasNewBytes) return;
    this.#hasNewBytes = false;
    try {
      if (!(await this.#options.extendClaim())) this.#end.abort(new ClaimLost());
    } catch (error) {
      // The claim is long enough for further attempts.
      this.#hasNewBytes = true;
      this.#options.onError(error);
    }
  }
}
