import { readFileSync } from "node:fs";
import { type ICorePlatform, networkMiddlewares, type tl } from "@mtcute/core";
import { BaseTelegramClient } from "@mtcute/core/client.js";
import { addPublicKey, LogManager } from "@mtcute/core/utils.js";
import { backOffMs } from "../../platform/back-off.ts";
import { crypto } from "./crypto.ts";
import { readDataCentre } from "./data-centre.ts";
import { endOf, type Refusal } from "./errors.ts";
import { createSightings, type PeerBook } from "./peer-book.ts";
import type { TgapiLink } from "./session.ts";
import { createSocketTransport, type SocketOptions } from "./socket.ts";
import type { Timing } from "./timing.ts";
import type { VaultStorage } from "./vault-storage.ts";

export type Client = BaseTelegramClient;

export interface ClientParts {
  readonly link: TgapiLink;
  readonly timing: Timing;
  readonly storage: VaultStorage;
  readonly book: PeerBook;
  readonly socket: SocketOptions;
  /** Whether the account's updates are followed; not while it is being linked. */
  readonly withUpdates: boolean;
  /** The library could not handle an update, and has lost it. */
  broken(detail: string): void;
  /** The account has ended in Telegram. */
  ended(reason: "unauthorized" | "openelsewhere", refusal: Refusal): void;
  /** Called with the outcome of each question for what was missed. */
  caughtUp(isFine: boolean): void;
  /** Telegram does not remember everything that was missed; awaited before the library goes on after it. */
  tooLong(): Promise<void>;
}

/** What Telegram shows the owner in the list of their devices. It stays the same: changes look like another program. */
const DEVICE = { deviceModel: "Trunkline", systemVersion: "Server", appVersion: "1" };
/** A wait that Telegram asks for is waited here when it is so short; longer ones go to the queue, where they show. */
const SILENT_WAIT_MS = 2_000;
const INTERNAL_RETRIES = 2;

/** A client that is not connected yet. Its key table is that of the process, so all accounts of one trust the same. */
export function createClient(parts: ClientParts): Client {
  const { link, timing, storage, book, withUpdates } = parts;
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
    transport: createSocketTransport(parts.socket),
    defaultDcs: readDataCentre(dataCentre),
    initConnectionOptions: DEVICE,
    logger: listenTo(parts),
    reconnectionStrategy: ({ previousWait }) => {
      const failures = previousWait === null ? 1 : 1 + Math.ceil(Math.log2(1 + previousWait / firstMs));
      return backOffMs(failures, pauses);
    },
    network: {
      // One connection for messages: more would need keys of their own, and their order would be lost.
      connectionCount: () => 1,
      pingInterval: timing.pingMs,
      inactivityTimeout: 30_000,
      ...(timing.isHasty ? { floodControl: false } : {}),
      middlewares: [
        networkMiddlewares.onRpcError((context, error) => {
          watch(parts, context.request, { code: error.errorCode, text: error.errorMessage });
          return undefined;
        }),
        networkMiddlewares.floodWaiter({ maxWait: SILENT_WAIT_MS }),
        networkMiddlewares.internalErrorsHandler({
          maxRetries: INTERNAL_RETRIES,
          exceptErrors: ["RANDOM_ID_DUPLICATE"],
        }),
        async (context, next) => {
          const answer = await next(context);
          if (context.request._ !== "updates.getDifference") return answer;
          if (isOf(answer, "updates.differenceTooLong")) await parts.tooLong();
          parts.caughtUp(!isOf(answer, "mt_rpc_error"));
          return answer;
        },
      ],
    },
    updates: withUpdates ? { catchUp: true } : false,
  });
  Object.assign(client.storage, { peers: book, refMsgs: createSightings(book) });
  return client;
}

/** The longest pause between attempts is so many times the first one. */
const LONGEST_PAUSES = 300;

function isOf(answer: unknown, kind: string): boolean {
  return typeof answer === "object" && answer !== null && "_" in answer && answer._ === kind;
}

/** Questions to other data centres may fail for want of an authorisation there; the library brings it along then. */
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

/** What the library has to say names people, but only there it says that it has lost something. */
function listenTo({ broken }: ClientParts): LogManager {
  const log = new LogManager("client", PLATFORM);
  log.level = LogManager.ERROR;
  log.handler = (_color, _level, tag, format, [detail]) => {
    if (tag === "updates" && format.includes("updates loop encountered error")) broken(String(detail));
  };
  return log;
}
