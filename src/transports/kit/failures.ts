import { TransportError } from "../../core/transport/errors.ts";
import type { LinkState } from "../../core/transport/events.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { KeepGoing } from "./keep-going.ts";
import type { OpenChannel, Redacting } from "./open-channel.ts";

type DisabledReason = Extract<LinkState, { status: "disabled" }>["reason"];

/** For the log: what went wrong in a sentence, with its cause, without secrets. */
export function describe(error: unknown, { redact = (words) => words }: Redacting): string {
  const cause =
    error instanceof TransportError && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return redact(`${messageOf(error)}${cause}`);
}

/** How the background work of a channel goes on after failures. A judgement that core cannot store is logged. */
export function persistence(channel: OpenChannel, assess: KeepGoing["assess"]): KeepGoing {
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

/** What a connector knows of its messenger's refusals. */
export interface Refusals {
  /** Why the channel cannot go on; null for a failure that may pass. */
  disabledBy(error: unknown): DisabledReason | null;
  /** For how long the messenger asks to wait. */
  waitMs?(error: unknown): number | undefined;
}

/** Judges a failure to receive: reports to core that the access has ended or the connection is lost. */
export async function assessReceiving(
  error: unknown,
  channel: OpenChannel,
  { disabledBy, waitMs }: Refusals,
): Promise<number | undefined | "stop"> {
  const { messenger, link, announce } = channel;
  const detail = describe(error, channel);
  const reason = disabledBy(error);
  link.log("warn", `${messenger}: receiving is ${reason === null ? "interrupted" : "over"}`, { detail });
  if (reason !== null) {
    await announce({ status: "disabled", reason });
    return "stop";
  }
  if (error instanceof TransportError) await announce({ status: "lost", detail });
  return waitMs?.(error);
}

export interface SessionRefusals extends Refusals {
  /** What a refusal means for the message; null for what are not the messenger's own words. */
  meaningOf(error: unknown): TransportError | null;
}

/** Turns whatever a method of a session throws into a `TransportError`, and reports to core an access that has ended. */
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
  return (
    refusals.meaningOf(error) ??
    new TransportError("UNKNOWN_ERROR", `${messenger}'s answer cannot be read`, {
      retry: "unknown",
      cause: new Error(describe(error, channel)),
    })
  );
}

function logUnstored(channel: OpenChannel, failure: unknown): void {
  const detail = describe(failure, channel);
  channel.link.log("warn", `${channel.messenger}: the state of the link was not stored`, { detail });
}
