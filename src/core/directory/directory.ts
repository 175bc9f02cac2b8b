import { setTimeout as sleep } from "node:timers/promises";
import {
  ConnectionLost,
  type Database,
  DatabaseUnavailable,
  isTemporary,
  type Queryable,
} from "../../database/database.ts";
import type { Log } from "../../platform/log.ts";
import { messageOf } from "../../platform/message-of.ts";
import { AppError } from "../errors.ts";
import { NoDirectory, updateDirectory } from "./schema.ts";

/** Longer than any statement of ours takes in a directory that works. */
const ANSWER_MS = 2_000;
/** After a failure nothing is asked for this long, so that a directory that does not answer delays few. */
const REST_MS = 2_000;
const RETRY_MS = 1_000;

/** The directory cannot be asked now; the statement may have had an effect. */
export class DirectoryAway extends Error {
  override readonly name = "DirectoryAway";
}

export interface DirectoryOptions {
  readonly db: Database;
  readonly log: Log;
  /** The name of this cell. */
  readonly cell: string;
  /** Where other cells reach this one; null: nowhere. */
  readonly address: string | null;
  /** Called with each change. Default: nobody is told. */
  onAvailable?(isAvailable: boolean): void;
  /** How long an answer may take, in ms. */
  readonly answerMs?: number;
}

/** Null: this cell is the only one. */
export interface HasDirectory {
  readonly directory: Directory | null;
}

/**
 * The database in which the cells of an installation find what must be unique over all of them. Everything that happens to
 * an existing account of this cell goes on without it, so nothing on such a path may call `ask`.
 */
export class Directory {
  readonly cell: string;
  readonly #options: DirectoryOptions;
  #isAway = false;
  #restUntil = Number.NEGATIVE_INFINITY;
  #recovery: Promise<void> | null = null;
  #hasSchema = false;
  readonly #end = new AbortController();

  constructor(options: DirectoryOptions) {
    this.#options = options;
    this.cell = options.cell;
  }

  /** Where other cells reach this one; null: nowhere. */
  get address(): string | null {
    return this.#options.address;
  }

  /** As the last request found it. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Runs statements in the directory. Throws `DirectoryAway`, within about two seconds if it does not answer. */
  async ask<T>(work: (db: Queryable) => Promise<T>): Promise<T> {
    if (this.#isAway && performance.now() < this.#restUntil)
      throw new DirectoryAway("The directory did not answer a moment ago");
    return this.#try(work);
  }

  /** `ask` in one transaction. */
  askTogether<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.ask(() => this.#options.db.tx(work));
  }

  /** Resolves when the directory answers, after a second or more; or when the signal aborts, or the node stops. */
  async untilBack(signal: AbortSignal): Promise<void> {
    this.#recovery ??= this.#recover().finally(() => {
      this.#recovery = null;
    });
    const aborted = Promise.withResolvers<void>();
    const abort = (): void => aborted.resolve();
    if (signal.aborted) return;
    signal.addEventListener("abort", abort, { once: true });
    await Promise.race([this.#recovery, aborted.promise]);
    signal.removeEventListener("abort", abort);
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#recovery;
    await this.#options.db.close();
  }

  async #recover(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      const answers = await this.#try((db) => db.query("select 1")).then(
        () => true,
        () => false,
      );
      if (answers) return;
    }
  }

  async #try<T>(work: (db: Queryable) => Promise<T>): Promise<T> {
    const { db, answerMs = ANSWER_MS } = this.#options;
    const timer = new AbortController();
    const late = sleep(answerMs, undefined, { signal: timer.signal }).then(() => {
      throw new DirectoryAway(`The directory did not answer within ${answerMs} ms`);
    });
    late.catch(() => undefined);
    try {
      const found = await Promise.race([this.#checked(db).then(() => work(db)), late]);
      this.#become(true, "");
      return found;
    } catch (error) {
      if (!isAbsence(error)) throw error;
      this.#restUntil = performance.now() + REST_MS;
      this.#become(false, messageOf(error));
      throw error instanceof DirectoryAway ? error : new DirectoryAway(messageOf(error), { cause: error });
    } finally {
      timer.abort();
    }
  }

  async #checked(db: Database): Promise<void> {
    if (this.#hasSchema) return;
    await updateDirectory(db);
    this.#hasSchema = true;
  }

  #become(isAvailable: boolean, problem: string): void {
    if (isAvailable !== this.#isAway) return;
    this.#isAway = !isAvailable;
    const { log, onAvailable } = this.#options;
    if (isAvailable) log.info("the directory answers again; new links and changes of partners go on");
    else
      log.warn(
        { problem },
        "the directory cannot be reached: existing accounts go on; new links and changes of partners wait",
      );
    onAvailable?.(isAvailable);
  }
}

function isAbsence(error: unknown): boolean {
  return (
    error instanceof DirectoryAway ||
    error instanceof NoDirectory ||
    error instanceof DatabaseUnavailable ||
    error instanceof ConnectionLost ||
    isTemporary(error)
  );
}

/** The answer to a client whose request needs the directory. */
export function awayError(cause: unknown): AppError {
  return new AppError("UNAVAILABLE", {
    retryAfter: 10,
    cause,
    description:
      "The directory of this installation cannot be reached at the moment; repeat the request later. Nothing was changed.",
  });
}
