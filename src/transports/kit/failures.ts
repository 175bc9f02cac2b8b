import { TransportError } from "../../core/transport/errors.ts";
import type { LinkState } from "../../core/transport/events.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { OpenChannel, Redacting } from "./open-channel.ts";
import type { RetryLoop } from "./retry-loop.ts";

type DisabledReason = Extract<LinkState, { status: "disabled" }>["reason"];

/** Describes an error and its cause in one redacted line, for the log. */
export function describe(error: unknown, { redact = (words) => words }: Redacting): string {
  const cause =
    error instanceof TransportError && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return redact(`${messageOf(error)}${cause}`);
}

/** The retry policy for the background work of a channel. Logs a state that core could not store. */
export function retryLoopOf(channel: OpenChannel, assess: RetryLoop["assess"]): RetryLoop {
  return {
    pauses: channel.timing,
    signal: channel.signal,
    assess: (error) =>
      assess(error).catch((failure: unknown) => {
        logUnstored(channel, failure);
        return undefined;
      }),
  };
}

/** How a connector classifies the refusals of its messenger. */
export interface Refusals {
  /** The reason why the channel must be disabled, or null if the failure may be temporary. */
  disabledBy(error: unknown): DisabledReason | null;
  /** How long the messenger asks us to wait, if it says. */
  waitMs?(error: unknown): number | undefined;
}

/** Classifies a receive failure and reports it to core: the access has ended, or the connection is lost. */
export async function assessReceiving(
  error: unknown,
  channel: OpenChannel,
  { disabledBy, waitMs }: Refusals,
): Promise<number | undefined | "stop"> {
  const { messenger, link, announce } = channel;
  const detail = describe(error, channel);
  const reason = disabledBy(error);
  if (reason !== null) {
    await announce({ status: "disabled", reason, detail });
    return "stop";
  }
  link.log("warn", `${messenger}: receiving is interrupted`, { detail });
  if (error instanceof TransportError) await announce({ status: "lost", detail });
  return waitMs?.(error);
}

export interface SessionRefusals extends Refusals {
  /** Maps a refusal by the messenger to a message error; null for any other error. */
  meaningOf(error: unknown): TransportError | null;
}

/** Converts anything a session method throws into a `TransportError`. Reports to core when the access has ended. */
export async function toFailure(
  error: unknown,
  channel: OpenChannel,
  refusals: SessionRefusals,
): Promise<TransportError> {
  if (error instanceof TransportError) return error;
  const { messenger, announce } = channel;
  const reason = refusals.disabledBy(error);
  if (reason !== null)
    await announce({ status: "disabled", reason }).catch((failure: unknown) => logUnstored(channel, failure));
  if (reason === "unauthorized") return accessEnded(messenger, error);
  return (
    refusals.meaningOf(error) ??
    new TransportError("UNKNOWN_ERROR", `${messenger} returned an unreadable response`, {
      retry: "unknown",
      cause: new Error(describe(error, channel)),
    })
  );
}

/** The error of a send whose messenger no longer accepts the channel's credentials; the same for all messengers. */
export function accessEnded(messenger: string, cause: unknown): TransportError {
  return new TransportError("CHANNEL_REJECTED", `${messenger} no longer accepts the channel's credentials`, {
    retry: "never",
    data: messageOf(cause),
    cause,
  });
}

/** Runs what precedes a send. When it fails nothing has been sent, so the send may be repeated. Throws `TransportError`. */
export async function beforeSend<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw new TransportError("UNKNOWN_ERROR", "The send could not be prepared", { retry: "later", cause });
  });
}

function logUnstored(channel: OpenChannel, failure: unknown): void {
  const detail = describe(failure, channel);
  channel.link.log("warn", `${channel.messenger}: the link state could not be stored`, { detail });
}
