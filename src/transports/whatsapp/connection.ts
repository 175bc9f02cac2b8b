import type {
  AuthenticationCreds,
  GroupMetadata,
  PossiblyExtendedCacheStore,
  proto as Proto,
  SignalKeyStore,
  WASocket,
} from "baileys";
import type { ProxyRoute } from "../../platform/network/proxy/proxy.ts";
import { ProxyTunnelAgent } from "../../platform/network/proxy/proxy-agent.ts";
import type { Journal } from "./inbound/journal.ts";
import type { KeyedMutex } from "./keys/keyed-mutex.ts";
import { repositoryMaker } from "./keys/repository.ts";
import { Browsers, makeWASocket, proto } from "./library.ts";
import { fetchOptions } from "./proxied-fetch.ts";

/** Intervals and limits; tests use shorter ones. */
export interface Timing {
  /** The ping interval. */
  readonly pingMs: number;
  /** A connection without any traffic for this long is dead, whatever its socket reports. */
  readonly silentMs: number;
  /** The validity of each QR code; undefined means WhatsApp's own: 60 s for the first and 20 s for the others. */
  readonly qrMs?: number;
  /** A message that cannot be decrypted is reported as such after this long. */
  readonly undecryptableMs: number;
  /** The time limit for the server's response to a message. */
  readonly ackMs: number;
  /** The time limit for other responses. */
  readonly queryMs: number;
  /**
   * After the login, the library makes three queries in sequence before it reports the connection as open; each
   * unanswered one costs `queryMs`. After this long, the connection counts as open.
   */
  readonly openMs: number;
  /**
   * If the server does not report the end of pending messages, they count as delivered after this long without
   * traffic since the login.
   */
  readonly quietMs: number;
  /** The history ends this long after its last part, if that is the last by its progress. */
  readonly historyQuietMs: number;
  /** The same if the phone has stopped before. */
  readonly historyStalledMs: number;
  /** The minimum interval between two pairing codes of an account. */
  readonly codePauseMs: number;
  readonly firstPauseMs: number;
  /** How long after the request for a passkey its answer links without a comparison of codes. */
  readonly handoffMs: number;
  /** How long the phone may take to continue the linking after the passkey was accepted. */
  readonly continueMs: number;
}

export const TIMING: Timing = {
  pingMs: 15_000,
  silentMs: 25_000,
  undecryptableMs: 60_000,
  ackMs: 55_000,
  queryMs: 30_000,
  openMs: 10_000,
  quietMs: 10_000,
  historyQuietMs: 10 * 60_000,
  historyStalledMs: 24 * 3_600_000,
  codePauseMs: 60_000,
  firstPauseMs: 1_000,
  // The server's limit is five minutes, and a late proof ends the linking.
  handoffMs: 285_000,
  continueMs: 60_000,
};

/** A combination that phones accept for pairing codes; they reject unknown ones. */
export const BROWSER = Browsers.macOS("Chrome");
/** The same, as this device is called in the linking with a passkey. */
export const DEVICE_TYPE = proto.DeviceProps.PlatformType.CHROME;

const CONNECT_TIMEOUT_MS = 20_000;
/**
 * A phone asks up to five times for a message that it cannot decrypt, and baileys 7.0.0-rc14 counts each answer twice
 * (`updateSendMessageAgainCount`).
 */
const RETRY_COUNT = 10;

export interface SocketParts {
  readonly url: string;
  /** Null: connections are direct. */
  readonly proxy: ProxyRoute | null;
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
  readonly journal: Journal;
  readonly turns: KeyedMutex;
  readonly timing: Timing;
  readonly devices: PossiblyExtendedCacheStore;
  /** Asks the phone for the whole history when the device is linked, not only for the newest messages. */
  readonly wantsHistory: boolean;
  /** Returns a message of ours whose retransmission is requested. The request is not repeated if this rejects. */
  getMessage(id: string): Promise<Proto.IMessage | undefined>;
  cachedGroup(jid: string): GroupMetadata | undefined;
}

/** Creates a socket of the library, which starts to connect. Its log output is discarded. */
export function openSocket(parts: SocketParts): WASocket {
  return makeWASocket({
    waWebSocketUrl: parts.url,
    ...networkOf(parts),
    auth: { creds: parts.creds, keys: parts.keys },
    logger: SILENT,
    browser: BROWSER,
    markOnlineOnConnect: false,
    syncFullHistory: parts.wantsHistory,
    emitOwnEvents: false,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    defaultQueryTimeoutMs: parts.timing.queryMs,
    userDevicesCache: parts.devices,
    keepAliveIntervalMs: parts.timing.pingMs,
    maxMsgRetryCount: RETRY_COUNT,
    // It deletes all sessions of a contact at the second request for a message. What the contact sent in them could
    // not be decrypted any more. A new session is added to them in any case, and the contact uses it at once.
    enableAutoSessionRecreation: false,
    getMessage: async ({ id }) => (id == null ? undefined : parts.getMessage(id)),
    cachedGroupMetadata: async (jid) => parts.cachedGroup(jid),
    makeSignalRepository: repositoryMaker(parts),
  });
}

/** The WebSocket, uploads, and downloads of what the library fetches by itself, such as the history. */
function networkOf({ url, proxy }: SocketParts) {
  if (proxy === null) return {};
  return {
    agent: new ProxyTunnelAgent(proxy, { secure: url.startsWith("wss:") }),
    fetchAgent: new ProxyTunnelAgent(proxy, { secure: true }),
    options: fetchOptions(proxy),
  };
}

/** Ends a connection without waiting for the other side's close frame. */
export async function endSocket(socket: WASocket): Promise<void> {
  terminate(socket);
  await socket.end(undefined);
}

/**
 * Terminates the TCP connection, so that the library notices immediately instead of waiting for the close frame of a
 * dead server.
 */
export function terminate({ ws }: WASocket): void {
  const { socket } = ws as unknown as { readonly socket: { terminate(): void } | null };
  socket?.terminate();
}

const silence = (): void => undefined;
/** The library's log contains names and keys. */
const SILENT = {
  level: "silent",
  child: () => SILENT,
  trace: silence,
  debug: silence,
  info: silence,
  warn: silence,
  error: silence,
};
