import type { tl } from "@mtcute/core";
import { TransportError } from "../../core/transport/errors.ts";
import type { Places } from "./inbound/places.ts";
import type { Receiver } from "./inbound/receiver.ts";
import type { Client } from "./library/client.ts";
import type { TgapiLink } from "./link.ts";
import type { Sends } from "./outbound/sends.ts";
import type { PeerBook } from "./people/peer-book.ts";

/** A connected account. `signal` aborts when it ends. */
export interface Line {
  readonly client: Client;
  readonly link: TgapiLink;
  readonly book: PeerBook;
  readonly places: Places;
  readonly sends: Sends;
  readonly receiver: Receiver;
  /** The account's user id, which is also its chat id. */
  readonly selfId: string;
  readonly callMs: number;
  readonly signal: AbortSignal;
  /** Aborts when the connection was lost and is back, and earlier requests have had time to be answered. */
  readonly dropped: AbortSignal;
  /** Aborts when the connection is lost. */
  readonly lost: AbortSignal;
}

type Options = Parameters<Client["call"]>[1];

/**
 * Makes a request. Throws what the library throws, at the latest when `signal` aborts or the time limit is reached.
 */
export async function ask<T extends tl.RpcMethod>(
  { client, callMs, signal: ending }: Pick<Line, "client" | "callMs" | "signal">,
  request: T,
  signal: AbortSignal,
  options: Options = {},
): Promise<tl.RpcCallReturn[T["_"]]> {
  const limit = AbortSignal.any([signal, ending, AbortSignal.timeout(callMs)]);
  limit.throwIfAborted();
  // The library's types allow only one specific method per call.
  const call = client.call as (message: tl.RpcMethod, options: Options) => Promise<unknown>;
  const asked = call.call(client, request, { ...options, abortSignal: limit });
  asked.catch(() => undefined);
  return (await orGiveUp(asked, limit)) as tl.RpcCallReturn[T["_"]];
}

/**
 * Makes a request that must not be executed twice, and that Telegram does not recognise by an id. The library would
 * repeat it on the next connection, and after an internal error of Telegram.
 */
export function askOnce<T extends tl.RpcMethod>(
  line: Line,
  request: T,
  signal: AbortSignal,
): Promise<tl.RpcCallReturn[T["_"]]> {
  if (!line.link.mayAct()) throw new TransportError("UNKNOWN_ERROR", "Not now", { retry: "later" });
  return ask(line, request, AbortSignal.any([signal, line.lost]), { maxRetryCount: 0 });
}

/** The library may not react to an abort immediately. */
function orGiveUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const giveUp = (): void => reject(signal.reason);
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  return promise;
}

/**
 * Advances the library's position for an update that this session caused itself; the library then ignores reports of
 * it. A request that changed nothing (`ptsCount` 0) gets the present position, which may be that of a message still on
 * its way: the library must not ignore that.
 */
export function countOwn(
  client: Client,
  { pts, ptsCount }: { readonly pts: number; readonly ptsCount: number },
  channelId = 0,
): void {
  const update = { _: "mtcute.dummyUpdate", channelId, pts, ptsCount } as unknown as tl.TypeUpdate;
  client.handleClientUpdate(
    { _: "updates", seq: 0, date: 0, chats: [], users: [], updates: [update] },
    ptsCount > 0,
  );
}
