import { sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";

const STOP = sql(
  "channel_sending_stop",
  `insert into channel_pacing as p (account_id, channel_id, stopped_at) values ($1, $2, now())
   on conflict (account_id, channel_id) do update set stopped_at = now() where p.stopped_at is null returning 1`,
);
const GO_ON = sql(
  "channel_sending_go_on",
  "update channel_pacing set stopped_at = null where account_id = $1 and channel_id = $2 and stopped_at is not null returning 1",
);

/**
 * Stops sending through a channel until `goOnSending`; accepted messages wait. The owning node applies it within half
 * a second. Idempotent.
 */
export function stopSending(core: Base, channel: ChannelKey): Promise<void> {
  return change(core, channel, STOP, "channel.stop");
}

export function goOnSending(core: Base, channel: ChannelKey): Promise<void> {
  return change(core, channel, GO_ON, "channel.go_on");
}

interface ChannelKey {
  readonly accountId: number;
  readonly channelId: string;
}

async function change(
  core: Base,
  { accountId, channelId }: ChannelKey,
  statement: typeof STOP,
  action: "channel.stop" | "channel.go_on",
): Promise<void> {
  await core.db.tx(async (tx) => {
    if ((await tx.query(statement, [accountId, channelId])).length > 0)
      await audit(tx, { accountId, action, subject: channelId });
  });
  core.signals.notify("channels", channelId);
}
