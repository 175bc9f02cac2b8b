import type { NamedChannel } from "../../core/console/operator-channels.ts";
import type { PacingChanges } from "../../core/pacing/limits.ts";
import { changePacing, PACING_BOUNDS, type PacingRequest } from "../../core/pacing/settings.ts";
import { type PacingView, readPacing, type WaitingChats } from "../../core/pacing/view.ts";
import { notifyNodes } from "../../core/signals.ts";
import type { Queryable } from "../../database/database.ts";
import { transports } from "../../transports/index.ts";
import { accountId, type Command, CommandFailed, needed, UsageError } from "../command.ts";
import { findChannel } from "../find-channel.ts";
import { table } from "../table.ts";
import { withAccountFilter } from "../with-account.ts";

type Limit = keyof PacingChanges;

const LIMITS: Readonly<Record<string, { readonly limit: Limit; readonly help: string }>> = {
  "per-minute": { limit: "perMinute", help: "Messages of the channel per minute" },
  "chat-per-minute": { limit: "chatPerMinute", help: "Messages of each chat per minute" },
  "jitter-ms": { limit: "jitterMs", help: "Maximum random delay before a message, in milliseconds" },
  "first-contacts-per-day": {
    limit: "firstContactsPerDay",
    help: "Messages per 24 hours to people who have never written; 0: none",
  },
  "warm-up-days": {
    limit: "warmUpDays",
    help: "Days over which a new channel's first contacts grow to that number; 0: none",
  },
};

export const channelPacing: Command = {
  name: "channel pacing",
  summary: "Show or change how fast a channel sends, and show its queue",
  args: ["ID"],
  options: {
    account: { value: "ID", help: "Only if it belongs to this account" },
    ...Object.fromEntries(
      Object.entries(LIMITS).map(([name, { help }]) => [name, { value: "N|default", help }]),
    ),
    reset: { help: "First reset all limits to the messenger's defaults" },
    "end-hold": { help: "End the pause of first contacts that followed a warning of the messenger" },
  },
  async run({ args, options, switches, print }) {
    const id = needed(args[0]);
    const account = options["account"] === undefined ? null : accountId(options["account"]);
    const request = requestOf(options, switches);
    const pacing = await withAccountFilter(account, async ({ db }) => {
      const channel = await findChannel(db, id, account);
      await db.tx((tx) => changePacing(tx, channel, request));
      notifyNodes(db, "channels", id);
      return needPacing(await pacingOf(db, channel));
    });
    print(pacing, () => table([["waiting", waitingText(pacing.queue)], ...pacingLines(pacing)]));
  },
};

function requestOf(
  options: Readonly<Record<string, string | undefined>>,
  switches: readonly string[],
): PacingRequest {
  const given = Object.entries(LIMITS).flatMap(([name, { limit }]) => {
    const value = options[name];
    return value === undefined ? [] : [[limit, limitOf(name, limit, value)] as const];
  });
  const cleared = switches.includes("reset")
    ? Object.values(LIMITS).map(({ limit }) => [limit, null] as const)
    : [];
  return { changes: Object.fromEntries([...cleared, ...given]), endsCooldown: switches.includes("end-hold") };
}

function limitOf(name: string, limit: Limit, value: string): number | null {
  if (value === "default") return null;
  const { min, max, whole } = PACING_BOUNDS[limit];
  const number = Number(value);
  if (value.trim() !== "" && number >= min && number <= max && (!whole || Number.isInteger(number)))
    return number;
  throw new UsageError(
    `--${name} must be a ${whole ? "whole " : ""}number from ${min} to ${max}, or default`,
  );
}

/** Null if this release does not know the channel's transport. */
export async function pacingOf(db: Queryable, channel: NamedChannel): Promise<PacingView | null> {
  const transport = transports.find(({ definition }) => definition.id === channel.transport);
  return transport === undefined ? null : readPacing(db, channel, transport.definition.pacing);
}

function needPacing(pacing: PacingView | null): PacingView {
  if (pacing === null) throw new CommandFailed("This release does not know the channel's transport");
  return pacing;
}

/** Rows of name and value for display, from the waiting chats on. */
export function pacingLines({ limits, changed, firstContacts, queue }: PacingView): [string, string][] {
  const { allowance, left, nextAt, heldUntil, holdReason } = firstContacts;
  const next = nextAt === null ? "" : `, the next at ${nextAt.toISOString()}`;
  return [
    ...queue.waiting.map((group): [string, string] => ["", waitingLine(group)]),
    ["next send", queue.nextSendAt?.toISOString() ?? "-"],
    ["first contacts", allowance === null ? "no limit" : `${left} of ${allowance} left in 24 hours${next}`],
    ...(heldUntil === null
      ? []
      : ([["held", `first contacts until ${heldUntil.toISOString()}: ${holdReason}`]] as [string, string][])),
    ["channel", `${limits.perMinute} a minute, ${limits.burst} in a row`],
    ["each chat", `${limits.chatPerMinute} a minute, ${limits.chatBurst} in a row`],
    ["jitter", `${limits.jitterMs} ms`],
    ["warm-up", limits.warmUpDays === 0 ? "none" : `${limits.warmUpDays} days`],
    ["changed", changed.join(", ") || "nothing"],
  ];
}

function waitingText({ messages, chats, oldestAt }: PacingView["queue"]): string {
  return oldestAt === null
    ? "nothing"
    : `${messages} jobs of ${chats} chats, the oldest since ${oldestAt.toISOString()}`;
}

const REASONS: Readonly<Record<WaitingChats["for"], string>> = {
  turn: "for their turn",
  stopped: "for an operator to resume its sending",
  inactive: "for the channel to become active",
  pause: "for the end of a pause that the messenger asked for",
  pace: "for the rate of the channel or the chat",
  allowance: "for the limit of first contacts",
  hold: "for the end of the pause of first contacts",
  retry: "for another attempt",
};

function waitingLine({ for: reason, chats, until }: WaitingChats): string {
  return `${chats} ${REASONS[reason]}${until === null ? "" : `, until ${until.toISOString()}`}`;
}
