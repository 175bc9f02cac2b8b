import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord } from "./http/fields.ts";
import { isSystemError } from "./system-error.ts";

const debounceMs = 1000;
/** Until then nothing is written after a failure. */
const retryMs = 10_000;

/**
 * Keeps a JSON file in sync with a state: soon after a change, and at the end. While the file cannot be written, for
 * example because the disk is full, the state is kept in memory, and it says so once.
 */
export class Snapshot {
  readonly #path: string;
  readonly #collect: () => unknown;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  /** `collect` returns the whole state as plain JSON. */
  constructor(path: string, collect: () => unknown) {
    this.#path = path;
    this.#collect = collect;
  }

  /** Records a change; the file is written within a second. */
  touch(): void {
    this.#timer ??= setTimeout(() => this.#save(), this.#isFailing ? retryMs : debounceMs).unref();
  }

  /** Writes the file for the last time. */
  end(): void {
    this.#save();
    clearTimeout(this.#timer);
    if (this.#isFailing) console.error(`sandbox: the last changes of ${this.#path} are lost`);
  }

  #save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = JSON.stringify(this.#collect());
    try {
      this.#write(text);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#failed(error.message);
      return;
    }
    if (this.#isFailing) console.error(`sandbox: ${this.#path} is saved again`);
    this.#isFailing = false;
  }

  /** Writes a new file and renames it, so that a crash keeps the old one intact. */
  #write(text: string): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(`${this.#path}.new`, text);
    renameSync(`${this.#path}.new`, this.#path);
  }

  #failed(reason: string): void {
    // What was written of it may take up the rest of the disk.
    try {
      rmSync(`${this.#path}.new`, { force: true, recursive: true });
    } catch {
      // Then it takes up no room.
    }
    if (!this.#isFailing)
      console.error(`sandbox: ${this.#path} cannot be saved, and is kept in memory meanwhile: ${reason}`);
    this.#isFailing = true;
    this.touch();
  }
}

/** The content of the file; an empty object if it does not exist. */
export function loadSnapshot(path: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return {};
  }
  const parsed: unknown = JSON.parse(text);
  return isRecord(parsed) ? parsed : {};
}
