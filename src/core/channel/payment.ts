import { sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { asStatus, type ChannelStatus, nextStatus } from "../channel-status.ts";
import { AppError } from "../errors.ts";
import { publish } from "../event/publish.ts";
import type { Scope } from "../scope.ts";
import { CHANNEL_COLUMNS, type ChannelRow, channelOf, MESSENGER_ID_AT_START } from "./channel.ts";
import { changeOf, channelFact } from "./channel-fact.ts";

const LOCK = sql(
  "channel_lock",
  `select ${CHANNEL_COLUMNS} from channels
   where account_id = $1 and id = $2 and deleted_at is null for no key update`,
);
// The owner stays, as with a new initialisation, and releases an unpaid channel after it has closed the session.
const MARK = sql(
  "channel_payment",
  `update channels set unpaid = $3, status = $4, reason = $5, status_at = now(), epoch = next_epoch(epoch),
     messenger_id = case when $4 = 'disabled' then messenger_id else ${MESSENGER_ID_AT_START} end
   where account_id = $1 and id = $2 returning ${CHANNEL_COLUMNS}`,
);

/**
 * Sets the operator's mark. An unpaid channel is disabled, its session is closed, and only `paid` restarts it, with its
 * stored credentials. Publishes events if the status changes. Idempotent. Throws CHANNEL_NOT_FOUND.
 */
export async function markPayment(
  core: Pick<Base, "db" | "clock" | "transports">,
  { accountId, channelId }: Scope & { readonly channelId: string },
  payment: "paid" | "unpaid",
): Promise<ChannelStatus> {
  return core.db.tx(async (tx) => {
    const [row] = await tx.query<ChannelRow>(LOCK, [accountId, channelId]);
    if (row === undefined) throw new AppError("CHANNEL_NOT_FOUND");
    const current = asStatus(row.status, row.reason);
    const condition = { current, unpaid: row.unpaid, messengerId: row.messenger_id };
    const next = nextStatus(condition, { kind: payment });
    const unpaid = payment === "unpaid";
    if (unpaid === row.unpaid && next.status === current.status && next.reason === current.reason)
      return next;
    const values = [accountId, channelId, unpaid, next.status, next.reason];
    const [marked] = await tx.query<ChannelRow>(MARK, values);
    await audit(tx, { accountId, action: `channel.${payment}`, subject: channelId });
    if (marked !== undefined && changeOf(channelOf(row), channelOf(marked)) !== null)
      await publish(tx, [
        { kind: "channel", change: "status", channel: channelFact(core, channelOf(marked), next) },
      ]);
    return next;
  });
}
