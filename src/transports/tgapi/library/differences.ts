import type { RpcCallMiddleware, tl } from "@mtcute/core";

export interface DifferenceParts {
  /** The time limit for a response: the library processes no update while it waits for one. */
  readonly callMs: number;
  /** Telegram no longer has all missed updates of the account; awaited before the library continues. */
  tooLong(): Promise<void>;
  /** The same of a supergroup. */
  channelTooLong(channelId: number): Promise<void>;
  /** Called with the outcome of each request for the account's missed updates. */
  fetched(isFine: boolean): void;
  /** The missed updates of a supergroup could not be fetched now. */
  channelFailed(channelId: number): void;
}

/**
 * Watches how the library fetches missed updates (core.telegram.org/api/updates). It goes on as if nothing was missed
 * when a request fails, or when Telegram no longer has the updates.
 */
export function watchDifferences(parts: DifferenceParts): RpcCallMiddleware {
  return async (context, next) => {
    const { request, params } = context;
    if (!request._.startsWith("updates.")) return next(context);
    const ask = (): Promise<unknown> => next({ ...context, params: { timeout: parts.callMs, ...params } });
    if (request._ === "updates.getDifference") return ofAccount(parts, ask);
    if (request._ === "updates.getChannelDifference") return ofChannel(parts, request, ask);
    return ask();
  };
}

async function ofAccount(parts: DifferenceParts, ask: () => Promise<unknown>): Promise<unknown> {
  try {
    const answer = await ask();
    const isTooLong = isOf(answer, "updates.differenceTooLong") || isUnknownPosition(answer);
    if (isTooLong) await parts.tooLong();
    parts.fetched(!isOf(answer, "mt_rpc_error"));
    return answer;
  } catch (error) {
    parts.fetched(false);
    throw error;
  }
}

async function ofChannel(
  parts: DifferenceParts,
  { channel }: tl.updates.RawGetChannelDifferenceRequest,
  ask: () => Promise<unknown>,
): Promise<unknown> {
  const channelId = "channelId" in channel ? channel.channelId : 0;
  try {
    const answer = await ask();
    if (isPassing(answer)) parts.channelFailed(channelId);
    if (!isOf(answer, "updates.channelDifferenceTooLong")) return answer;
    await parts.channelTooLong(channelId);
    // The answer holds the newest messages, which need not be missed ones.
    return { ...answer, messages: [] };
  } catch (error) {
    parts.channelFailed(channelId);
    throw error;
  }
}

function isOf(answer: unknown, kind: string): answer is { readonly _: string } {
  return typeof answer === "object" && answer !== null && "_" in answer && answer._ === kind;
}

/** The library continues from the newest position if Telegram does not know the one that is stored. */
function isUnknownPosition(answer: unknown): boolean {
  return isOf(answer, "mt_rpc_error") && textOf(answer) === "PERSISTENT_TIMESTAMP_INVALID";
}

/** A failure that does not last: no answer, a wait, or an internal error. */
function isPassing(answer: unknown): boolean {
  if (!isOf(answer, "mt_rpc_error")) return false;
  const code = "errorCode" in answer ? Number(answer.errorCode) : 0;
  return code < 0 || code >= 420 || textOf(answer) === "TIMEOUT";
}

function textOf(error: object): unknown {
  return "errorMessage" in error ? error.errorMessage : undefined;
}
