import type { BlobStore } from "./blob-store.ts";
import type { Exchange } from "./http/exchange.ts";
import type { AdminRoute } from "./http/route.ts";

/** What the sandbox gives to an emulated messenger. */
export interface EmulatorContext {
  /** Where this emulator's own protocol is served, e.g. `http://127.0.0.1:8090/telegram`. */
  readonly url: () => string;
  readonly blobs: BlobStore;
  /** The address that the sandbox listens on, e.g. `127.0.0.1`. */
  readonly host: string;
  /** Where an emulator with files of its own keeps them; undefined when everything is to be forgotten. */
  readonly dataDir: string | undefined;
  /** What `save` returned before the restart; undefined on a fresh start. */
  readonly saved: unknown;
  /** To be called after each change of what `save` returns. Cheap. */
  readonly changed: () => void;
  /** Keep every message instead of the last thousand of each chat. */
  readonly keepAllMessages: boolean;
  /** Start with one account and one customer, so that a newcomer needs no setting up. */
  readonly seedDemo: boolean;
}

/** One emulated messenger. Its protocol and its admin API share a server with the others. */
export interface Emulator {
  /** Serves the messenger's own protocol; `path` is the part below the emulator's address. */
  handle(exchange: Exchange, path: string): void;
  /** Routes below `/admin/<name>`, or what serves them where the emulator is another process. */
  readonly admin: readonly AdminRoute[] | AdminHandOver;
  /** What `GET /` tells of it besides `admin`; without it, the address of its protocol on this server. */
  readonly describe?: () => Promise<Readonly<Record<string, unknown>>>;
  /** The state worth keeping over a restart, as plain JSON. */
  save(): unknown;
  /** Ends timers and waiting calls. */
  close(): void | Promise<void>;
}

/** Serves an admin request elsewhere; `path` is the part below `/admin/<name>`. */
export type AdminHandOver = (exchange: Exchange, path: string) => Promise<void>;

/** Makes an emulator; the registry in `emulators.ts` holds one of these for each messenger. */
export type EmulatorFactory = (context: EmulatorContext) => Emulator;
