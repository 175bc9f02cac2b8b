import type { BlobStore } from "./blob-store.ts";
import type { Exchange } from "./http/exchange.ts";
import type { AdminRoute } from "./http/route.ts";

/** What the sandbox gives to an emulated messenger. */
export interface EmulatorContext {
  /** Where this emulator's own protocol is served, e.g. `http://127.0.0.1:8090/telegram`. */
  readonly url: () => string;
  readonly blobs: BlobStore;
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
  /** Routes below `/admin/<name>`. */
  readonly admin: readonly AdminRoute[];
  /** The state worth keeping over a restart, as plain JSON. */
  save(): unknown;
  /** Ends timers and waiting calls. */
  close(): void;
}

/** Makes an emulator; the registry in `emulators.ts` holds one of these for each messenger. */
export type EmulatorFactory = (context: EmulatorContext) => Emulator;
