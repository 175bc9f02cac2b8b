import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord } from "./http/fields.ts";

const debounceMs = 1000;

/** Keeps a JSON file up to date with a state: soon after a change, and at the end. */
export class Snapshot {
  readonly #path: string;
  readonly #collect: () => unknown;
  #timer: NodeJS.Timeout | undefined;

  /** `collect` returns the whole state as plain JSON. */
  constructor(path: string, collect: () => unknown) {
    this.#path = path;
    this.#collect = collect;
  }

  /** Notes a change; the file follows within a second. */
  touch(): void {
    this.#timer ??= setTimeout(() => this.flush(), debounceMs).unref();
  }

  /** Writes beside the file and renames, so that a crash leaves the old one whole. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(`${this.#path}.new`, JSON.stringify(this.#collect()));
    renameSync(`${this.#path}.new`, this.#path);
  }
}

/** What the file held; an empty object when there is none yet. */
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
