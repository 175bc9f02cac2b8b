import { type AuditAction, audit } from "../audit/audit.ts";
import type { Core } from "../core.ts";
import { removeDeadLetters, requestDeadLetterReplay } from "../inbound/dead-letter-list.ts";

interface ChannelKey {
  readonly accountId: number;
  readonly channelId: string;
}

/**
 * Has the node that owns the channel process all its dead letters once more; those that succeed are removed. Returns
 * how many there are.
 */
export async function replayRefused(core: Core, { accountId, channelId }: ChannelKey): Promise<number> {
  const reports = await core.db.tx(async (tx) => {
    const { length } = await requestDeadLetterReplay(tx, { accountId, channelId });
    if (length > 0) await audit(tx, entry("inbound.replay", { accountId, channelId }, length));
    return length;
  });
  if (reports > 0) core.wakes.wake("deadLetters");
  return reports;
}

/** Deletes all dead letters of the channel. Idempotent; returns how many there were. */
export function removeRefused(core: Core, { accountId, channelId }: ChannelKey): Promise<number> {
  return core.db.tx(async (tx) => {
    const reports = await removeDeadLetters(tx, { accountId, channelId });
    if (reports > 0) await audit(tx, entry("inbound.remove", { accountId, channelId }, reports));
    return reports;
  });
}

function entry(action: AuditAction, { accountId, channelId: subject }: ChannelKey, reports: number) {
  return { accountId, action, subject, details: { reports } };
}
