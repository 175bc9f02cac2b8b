import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord } from "./http/fields.ts";

const debounceMs = 1000;

/** Keeps a JSON file in sync with a state: soon after a change, and at the end. */
export class Snapshot {
  readonly #path: string;
  readonly #collect: () => unknown;
  #timer: NodeJS.Timeout | undefined;

  /** `collect` returns the whole state as plain JSON. */
  constructor(path: string, collect: () => unknown) {
    this.#path = path;
    this.#collect = collect;
  }

  /** Records a change; the file is written within a second. */
  touch(): void {
    this.#timer ??= setTimeout(() => this.flush(), debounceMs).unref();
  }

  /** Writes a new file and renames it, so that a crash keeps the old one intact. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(`${this.#path}.new`, JSON.stringify(this.#collect()));
    renameSync(`${this.#path}.new`, this.#path);
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
