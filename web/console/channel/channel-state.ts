import { channelStates } from "../texts/texts.ts";

interface ChannelCondition {
  readonly status: string;
  readonly reason: string | null;
  readonly connect?: string;
}

/** The name of a channel's condition among `channelStates` and its remedies. */
export function conditionOf({ status, reason, connect }: ChannelCondition): string {
  if (reason === "unauthorized" && connect === "qr") return "unlinked";
  return reason ?? status;
}

export function channelState(channel: ChannelCondition): string {
  const known: Readonly<Record<string, string>> = channelStates.value;
  const condition = conditionOf(channel);
  return known[condition] ?? condition;
}
