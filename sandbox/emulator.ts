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
  /** Directory for an emulator with its own files; undefined if nothing is to be kept. */
  readonly dataDir: string | undefined;
  /** The result of `save` before the restart; undefined on a fresh start. */
  readonly saved: unknown;
  /** Call after each change of the result of `save`. Cheap. */
  readonly changed: () => void;
  /** Keep every message instead of the last thousand of each chat. */
  readonly keepAllMessages: boolean;
  /** Start with one account and one customer, so that no setup is needed. */
  readonly seedDemo: boolean;
}

/** One emulated messenger. Its protocol and its admin API share a server with the others. */
export interface Emulator {
  /** Serves the messenger's own protocol; `path` is the part below the emulator's address. */
  handle(exchange: Exchange, path: string): void;
  /** Routes below `/admin/<name>`, or a forwarder if the emulator is another process. */
  readonly admin: readonly AdminRoute[] | AdminHandOver;
  /** Its description in `GET /` in addition to `admin`; default: the address of its protocol on this server. */
  readonly describe?: () => Promise<Readonly<Record<string, unknown>>>;
  /** The service beside the sandbox, whose address is known only now: sign-in dialogs of the demo return to it. */
  readonly serviceAt?: (url: string) => void;
  /** The state to keep over a restart, as plain JSON. */
  save(): unknown;
  /** Ends timers and pending calls. */
  close(): void | Promise<void>;
}

/** Forwards an admin request; `path` is the part below `/admin/<name>`. */
export type AdminHandOver = (exchange: Exchange, path: string) => Promise<void>;

/** Creates an emulator; the registry in `emulators.ts` has one per messenger. */
export type EmulatorFactory = (context: EmulatorContext) => Emulator;
