import { sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { CHANNEL_COLUMNS, type ChannelRow, channelOf } from "../channel/channel.ts";
import { channelFact } from "../channel/channel-fact.ts";
import { clearChatCache, type HasChats } from "../chat/chats.ts";
import { AppError } from "../errors.ts";
import { notifyReceivers, publish } from "../event/publish.ts";
import type { Scope } from "../scope.ts";
import { deleteHistoryBatch, forgetChannel } from "./forgotten-channels.ts";

/** For accounts with millions of messages and files, deletion continues after the response. */
const DELETION_TIMEOUT_MS = 3_000;
const REMOVE = sql(
  "channel_remove",
  `update channels set deleted_at = now(), status = 'disabled', reason = null, status_at = now(),
     leaving_until = now() + interval '1 day'
   where account_id = $1 and id = $2 and deleted_at is null returning ${CHANNEL_COLUMNS}`,
);

/**
 * Deletes a channel: its session ends immediately, and messages that are not sent yet are reported as
 * `MESSAGE_CANCELLED`. The history is kept unless `deleteChats`, which may take minutes for a long history. The row
 * itself is kept for the history. The owning node keeps its keys until the channel is logged out at the messenger,
 * for at most a day.
 */
export async function removeChannel(
  core: Base & HasChats,
  scope: Scope,
  channelId: string,
  options: { readonly deleteChats: boolean },
): Promise<void> {
  await core.db.tx(async (tx) => {
    const [row] = await tx.query<ChannelRow>(REMOVE, [scope.accountId, channelId]);
    if (row === undefined) throw new AppError("CHANNEL_NOT_FOUND");
    await audit(tx, {
      ...scope,
      action: "channel.delete",
      subject: channelId,
      details: { transport: row.transport, deleteChats: options.deleteChats },
    });
    await tx.query("delete from app_bindings where channel_id = $1", [channelId]);
    // No reply can be sent through it.
    await tx.query("delete from unanswered where account_id = $1 and channel_id = $2", [
      scope.accountId,
      channelId,
    ]);
    if (options.deleteChats) await forgetChannel(tx, scope, channelId);
    const deleted = channelFact(core, channelOf(row), { status: "disabled", reason: null });
    const change = options.deleteChats ? "erased" : "deleted";
    await publish(tx, [{ kind: "channel", change, channel: deleted }]);
  });
  core.signals.notify("channels", channelId);
  notifyReceivers(core, [scope.accountId]);
  if (!options.deleteChats) return;
  clearChatCache(core);
  const until = core.clock.monotonicMs() + DELETION_TIMEOUT_MS;
  // The channel is already deleted: if this fails, upkeep continues it.
  const deleteNextBatch = () => core.db.tx((tx) => deleteHistoryBatch(tx, channelId)).catch(() => false);
  while (core.clock.monotonicMs() < until && (await deleteNextBatch()));
}
