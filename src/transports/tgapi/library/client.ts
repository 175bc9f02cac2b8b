import { readFileSync } from "node:fs";
import { type ICorePlatform, networkMiddlewares, type tl } from "@mtcute/core";
import { BaseTelegramClient } from "@mtcute/core/client.js";
import { addPublicKey, LogManager } from "@mtcute/core/utils.js";
import { reconnectPauseMs } from "../../kit/reconnect-pause.ts";
import { endOf, type Refusal } from "../errors.ts";
import type { TgapiLink } from "../link.ts";
import { createSightings, type PeerBook } from "../people/peer-book.ts";
import type { Timing } from "../timing.ts";
import { crypto } from "./crypto.ts";
import { readDataCentre } from "./data-centre.ts";
import { type DifferenceParts, watchDifferences } from "./differences.ts";
import { dispatchInOrder } from "./dispatch-order.ts";
import { keepConnections } from "./keep-alive.ts";
import { createTransport } from "./proxied.ts";
import type { SocketOptions } from "./socket.ts";
import type { VaultStorage } from "./vault-storage.ts";

export type Client = BaseTelegramClient;

keepConnections();

export interface ClientParts {
  readonly link: TgapiLink;
  readonly timing: Timing;
  readonly storage: VaultStorage;
  readonly book: PeerBook;
  readonly socket: SocketOptions;
  /** The library failed to handle an update, and has lost it. */
  broken(detail: string): void;
  /** Telegram has ended the session. */
  ended(reason: "unauthorized" | "openelsewhere", refusal: Refusal): void;
  /** Null during linking, when the account's updates are not processed. */
  readonly differences: Omit<DifferenceParts, "callMs"> | null;
}

/** Shown to the owner in the list of devices. It must not change: changes look like another program. */
const DEVICE = { deviceModel: "Trunkline", systemVersion: "Server", appVersion: "1" };
/**
 * Waits requested by Telegram up to this length happen here; longer ones are passed to the queue, where they are
 * visible.
 */
const SILENT_WAIT_MS = 2_000;
const INTERNAL_RETRIES = 2;

/**
 * Creates a client without connecting it. The table of server keys is shared by the process, so all accounts trust
 * the same keys.
 */
export function createClient(parts: ClientParts): Client {
  const { link, timing, storage, book, differences } = parts;
  const { apiId, dataCentre, serverKey } = link.settings;
  if (serverKey !== "") addPublicKey(crypto, readFileSync(serverKey, "utf8"));
  const firstMs = timing.firstPauseMs;
  const pauses = { firstMs, longestMs: firstMs * LONGEST_PAUSES };
  const client = new BaseTelegramClient({
    apiId: Number(apiId),
    apiHash: link.settings.apiHash,
    crypto,
    storage,
    platform: PLATFORM,
    transport: createTransport(link.proxy, parts.socket),
    defaultDcs: readDataCentre(dataCentre),
    initConnectionOptions: DEVICE,
    logger: listenTo(parts),
    reconnectionStrategy: ({ previousWait }) => {
      const failures = previousWait === null ? 1 : 1 + Math.ceil(Math.log2(1 + previousWait / firstMs));
      return reconnectPauseMs(link.proxy, failures, pauses);
    },
    network: {
      // One connection for messages: more would need separate keys, and would not keep the order.
      connectionCount: () => 1,
      pingInterval: timing.pingMs,
      inactivityTimeout: 30_000,
      ...(timing.isHasty ? { floodControl: false } : {}),
      middlewares: [
        ...(differences === null ? [] : [watchDifferences({ ...differences, callMs: timing.callMs })]),
        networkMiddlewares.onRpcError((context, error) => {
          watch(parts, context.request, { code: error.errorCode, text: error.errorMessage });
          return undefined;
        }),
        networkMiddlewares.floodWaiter({ maxWait: SILENT_WAIT_MS }),
        networkMiddlewares.internalErrorsHandler({
          maxRetries: INTERNAL_RETRIES,
          exceptErrors: ["RANDOM_ID_DUPLICATE"],
        }),
      ],
    },
    updates: differences === null ? false : { catchUp: true },
  });
  Object.assign(client.storage, { peers: book, refMsgs: createSightings(book) });
  dispatchInOrder(client);
  return client;
}

/** The maximum delay between attempts, as a multiple of the first one. */
const LONGEST_PAUSES = 300;

/**
 * Ignores failures of uploads and downloads: requests to other data centres may fail until the library exports the
 * authorisation.
 */
function watch(
  { ended }: ClientParts,
  request: tl.RpcMethod | { readonly _: string },
  refusal: Refusal,
): void {
  const reason = endOf(refusal);
  if (reason === null || request._.startsWith("upload.")) return;
  ended(reason, refusal);
}

const PLATFORM: ICorePlatform = {
  beforeExit: () => () => undefined,
  log: () => undefined,
  getDefaultLogLevel: () => LogManager.OFF,
  getDeviceModel: () => DEVICE.deviceModel,
};

/**
 * Reads the library's log, the only place where it reports a lost update. The entries are not logged, because they
 * name people.
 */
function listenTo({ broken }: ClientParts): LogManager {
  const log = new LogManager("client", PLATFORM);
  log.level = LogManager.ERROR;
  log.handler = (_color, _level, tag, format, [detail]) => {
    if (tag === "updates" && format.includes("updates loop encountered error")) broken(String(detail));
  };
  return log;
}
