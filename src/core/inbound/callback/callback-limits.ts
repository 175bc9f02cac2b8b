import { createSerialQueue } from "../../../platform/queue/serial-queue.ts";
import type { Base } from "../../base.ts";
import { AppError } from "../../errors.ts";
import { CHANNEL_EVENT_KINDS } from "../../message/report.ts";
import type { HasReports } from "../../message/report-queue.ts";
import type { ChannelLink } from "../../transport/connector.ts";
import type { TransportEvent } from "../../transport/events.ts";
import type { RegisteredTransport } from "../../transport/registry.ts";
import type { LinkCore } from "../link.ts";
import type { BudgetKey, HasCallbackBudgets } from "./callback-budgets.ts";
import { type ChannelFound, callbackLink } from "./callback-link.ts";

/** Events that may wait to be stored, of a channel and of an account; beyond it, calls are rejected. */
const MAX_WAITING = { channel: 2_000, account: 5_000 };
const BUSY_SECONDS = 5;

/** The budgets charged for a call that concerns this channel. */
export function budgetKeysOf({ account_id, id }: ChannelFound): BudgetKey[] {
  return [
    { kind: "channel", id },
    { kind: "account", id: String(account_id) },
  ];
}

/** Seconds until a call for the channel is accepted; 0 for now. */
export function waitSeconds(core: Base & HasReports & HasCallbackBudgets, row: ChannelFound): number {
  const waiting = core.reports.waitingOf({ accountId: row.account_id, channelId: row.id });
  const isFull = waiting.channel >= MAX_WAITING.channel || waiting.account >= MAX_WAITING.account;
  const waits = budgetKeysOf(row).map((key) => core.callbackBudgets.waitSeconds(key));
  return Math.max(isFull ? BUSY_SECONDS : 0, ...waits);
}

/** Throws TOO_MANY_REQUESTS with the time to wait. */
export function refuseBusy(core: Base & HasReports & HasCallbackBudgets, row: ChannelFound): void {
  const retryAfter = waitSeconds(core, row);
  if (retryAfter > 0)
    throw new AppError("TOO_MANY_REQUESTS", {
      description: "Too many reports of the messenger for this channel wait to be stored",
      retryAfter,
    });
}

/** A link that charges its events and dead letters to the channel's budgets. */
export function meteredCallbackLink(
  core: LinkCore & HasCallbackBudgets,
  transport: RegisteredTransport,
  row: ChannelFound,
): ChannelLink {
  const link = callbackLink(core, transport, row);
  const keys = budgetKeysOf(row);
  const inOrder = createSerialQueue();
  const count = (): void => {
    for (const key of keys) core.callbackBudgets.spend(key, { rows: 1 });
  };
  return {
    ...link,
    emit(event) {
      count();
      // Reports are stored in batches. Everything else uses one database connection per call.
      return isReport(event) ? link.emit(event) : inOrder(() => link.emit(event));
    },
    deadLetter(payload, reason) {
      count();
      return link.deadLetter(payload, reason);
    },
    reportUnknown(kind, sample) {
      count();
      return link.reportUnknown(kind, sample);
    },
  };
}

function isReport({ kind }: TransportEvent): boolean {
  return !(CHANNEL_EVENT_KINDS as readonly string[]).includes(kind);
}
