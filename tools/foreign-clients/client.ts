/** JSON of an emulator's admin API, in which any path may be accessed. */
export interface Json {
  readonly [field: string]: Json;
  readonly [index: number]: Json;
}

/** What a scenario works with. */
export interface Stage {
  /** The sandbox, for example `http://127.0.0.1:41234`. */
  readonly url: string;
  /** Loads an installed package as its users do. */
  readonly load: (name: string) => unknown;
  /** A request to the emulator's admin API that must succeed, for example `admin("POST /messages", {...})`. */
  readonly admin: (route: string, body?: object) => Promise<Json>;
  /** Does one step; its name is reported. Rejects if it fails or takes longer than `stepMs`. */
  readonly step: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Ends something the scenario has opened, when it is over. */
  readonly atEnd: (end: () => unknown) => void;
}

/** A client library of others, run against an emulator. */
export interface ForeignClient {
  /** The emulator's name in the sandbox. */
  readonly emulator: string;
  readonly name: string;
  readonly version: string;
  /** Other packages that it needs beside it, with their versions. */
  readonly peers?: Readonly<Record<string, string>>;
  /** Connects, receives, sends, and edits and deletes where the messenger and the library can. */
  readonly run: (stage: Stage) => Promise<void>;
}

/** How long a step may take. */
export const stepMs = 60_000;

/** Throws unless the two are equal as JSON. */
export function expectEqual(actual: unknown, wanted: unknown): void {
  const [got, want] = [JSON.stringify(actual), JSON.stringify(wanted)];
  if (got !== want) throw new Error(`expected ${want}, got ${got}`);
}
