import { sql } from "../../database/database.ts";
import type { Core } from "../core.ts";
import { AppError } from "../errors.ts";
import type { InboundReply, InboundRequest } from "../transport/connector.ts";
import { createLink } from "./link.ts";
import { applyTrigger } from "./link-state.ts";
import { triggerOf } from "./link-trigger.ts";

const FIND = sql(
  "channel_for_callback",
  "select account_id, epoch, credentials from channels where id = $1 and transport = $2 and deleted_at is null",
);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Hands a messenger's callback to the channel's connector, on whichever node it arrived. Throws NOT_FOUND for a
 * channel that does not exist; the connector verifies the caller.
 */
export async function receiveCallback(
  core: Core,
  transportId: string,
  channelId: string,
  request: InboundRequest,
): Promise<InboundReply> {
  const transport = core.transports.get(transportId);
  if (transport?.connector.receive === undefined || !UUID.test(channelId)) throw new AppError("NOT_FOUND");
  const [row] = await core.db.query<{ account_id: number; epoch: number; credentials: Buffer }>(FIND, [
    channelId,
    transportId,
  ]);
  if (row === undefined) throw new AppError("NOT_FOUND");
  const key = { accountId: row.account_id, channelId, epoch: row.epoch };
  const link = createLink(core, {
    key,
    transport,
    sealedCredentials: row.credentials,
    signal: AbortSignal.timeout(30_000),
    async onLinkState(state) {
      const trigger = triggerOf(state);
      if (trigger !== null) await applyTrigger(core, key, trigger.trigger, trigger.details);
    },
  });
  return transport.connector.receive(request, link as Parameters<typeof transport.connector.receive>[1]);
}
