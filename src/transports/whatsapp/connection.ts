import type {
  AuthenticationCreds,
  GroupMetadata,
  PossiblyExtendedCacheStore,
  proto as Proto,
  SignalKeyStore,
  WASocket,
} from "baileys";
import type { Journal } from "./journal.ts";
import { Browsers, makeWASocket } from "./library.ts";
import { repositoryMaker } from "./repository.ts";
import type { Turns } from "./turns.ts";

/** How long things take; tests shorten it. */
export interface Timing {
  /** How often a sign of life is asked for. */
  readonly pingMs: number;
  /** A connection without any traffic for so long is dead, whatever its socket says. */
  readonly silentMs: number;
  /** Life of each QR code; undefined: WhatsApp's own, 60 s for the first and 20 s for the others. */
  readonly qrMs?: number;
  /** A message that cannot be decrypted is shown as such after so long. */
  readonly undecryptableMs: number;
  /** The server's answer to a message is awaited for so long. */
  readonly ackMs: number;
  /** What WhatsApp does not answer within so long it does not answer. */
  readonly queryMs: number;
  /**
   * From the login on, the library asks three questions in a row before it calls the connection open; a server that leaves
   * them unanswered costs `queryMs` each. After so long it is taken to be open.
   */
  readonly openMs: number;
  /** A server that never says that all that waited has come has nothing more when it was quiet for so long since the login. */
  readonly quietMs: number;
  /** Between two pairing codes of an account. */
  readonly codePauseMs: number;
  readonly firstPauseMs: number;
}

export const TIMING: Timing = {
  pingMs: 15_000,
  silentMs: 25_000,
  undecryptableMs: 60_000,
  ackMs: 55_000,
  queryMs: 30_000,
  openMs: 10_000,
  quietMs: 10_000,
  codePauseMs: 60_000,
  firstPauseMs: 1_000,
};

const CONNECT_TIMEOUT_MS = 20_000;

export interface SocketParts {
  readonly url: string;
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
  readonly journal: Journal;
  readonly turns: Turns;
  readonly timing: Timing;
  readonly devices: PossiblyExtendedCacheStore;
  /** A message of ours that somebody asks for again. */
  getMessage(id: string): Promise<Proto.IMessage | undefined>;
  cachedGroup(jid: string): GroupMetadata | undefined;
}

/** A socket of the library, connecting. Nothing that it would print leaves this process. */
export function openSocket(parts: SocketParts): WASocket {
  return makeWASocket({
    waWebSocketUrl: parts.url,
    auth: { creds: parts.creds, keys: parts.keys },
    logger: SILENT,
    // A pair that phones accept for pairing codes; odd ones are refused there.
    browser: Browsers.macOS("Chrome"),
    markOnlineOnConnect: false,
    syncFullHistory: false,
    emitOwnEvents: false,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    defaultQueryTimeoutMs: parts.timing.queryMs,
    userDevicesCache: parts.devices,
    keepAliveIntervalMs: parts.timing.pingMs,
    ...(parts.timing.qrMs === undefined ? {} : { qrTimeout: parts.timing.qrMs }),
    getMessage: async ({ id }) => (id == null ? undefined : parts.getMessage(id)),
    cachedGroupMetadata: async (jid) => parts.cachedGroup(jid),
    makeSignalRepository: repositoryMaker(parts),
  });
}

/** Ends a connection for good, without waiting for the other side's farewell. */
export async function endSocket(socket: WASocket): Promise<void> {
  terminate(socket);
  await socket.end(undefined);
}

/** Cuts the line: the library learns of it at once, instead of after the farewell of a dead server. */
export function terminate({ ws }: WASocket): void {
  const { socket } = ws as unknown as { readonly socket: { terminate(): void } | null };
  socket?.terminate();
}

const silence = (): void => undefined;
/** What the library has to say names people and holds keys. */
const SILENT = {
  level: "silent",
  child: () => SILENT,
  trace: silence,
  debug: silence,
  info: silence,
  warn: silence,
  error: silence,
};
