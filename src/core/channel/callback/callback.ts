import { isUuid } from "../../../platform/ids.ts";
import type { Base } from "../../base.ts";
import { AppError } from "../../errors.ts";
import type { HasCallbackBudgets } from "../../inbound/callback-budgets.ts";
import type { HasDeadLetters } from "../../inbound/dead-letters.ts";
import type { HasReports } from "../../message/report-queue.ts";
import type { InboundReply, InboundRequest } from "../../transport/connector.ts";
import type { HasChannels } from "../channel.ts";
import { createAppLink } from "../link/app-link.ts";
import type { HasChannelLog } from "../log/channel-log.ts";
import type { HasCallbackChannels } from "./callback-channels.ts";
import { budgetKeysOf, meteredCallbackLink, refuseBusy } from "./callback-limits.ts";

/**
 * Passes a messenger's callback to the channel's connector, on whichever node it arrived. Throws NOT_FOUND for a
 * channel that does not exist. The connector verifies the caller.
 */
export async function receiveCallback(
  core: Base &
    HasCallbackBudgets &
    HasCallbackChannels &
    HasReports &
    HasChannelLog &
    HasDeadLetters &
    HasChannels,
  transportId: string,
  channelId: string,
  request: InboundRequest,
): Promise<InboundReply> {
  const transport = core.transports.get(transportId);
  if (transport?.connector.receive === undefined || !isUuid(channelId)) throw new AppError("NOT_FOUND");
  const row = await core.callbackChannels.byId(transportId, channelId);
  if (row === undefined) throw new AppError("NOT_FOUND");
  const keys = budgetKeysOf(row);
  refuseBusy(core, row);
  const link = meteredCallbackLink(core, transport, row);
  const began = performance.now();
  const received = transport.connector.receive(
    request,
    link as Parameters<typeof transport.connector.receive>[1],
  );
  // Until its first await, a connector blocks the node.
  const ms = performance.now() - began;
  const reply = await received;
  const bytes = request.body.length;
  if (reply.status < 400) for (const key of keys) core.callbackBudgets.spend(key, { bytes, ms });
  return reply;
}

/** The same for a call that may concern many channels. Throws NOT_FOUND for transports without such calls. */
export async function receiveAppCallback(
  core: Base &
    HasCallbackBudgets &
    HasCallbackChannels &
    HasReports &
    HasChannelLog &
    HasDeadLetters &
    HasChannels,
  transportId: string,
  request: InboundRequest,
): Promise<InboundReply> {
  const transport = core.transports.get(transportId);
  if (transport?.connector.receiveForApp === undefined) throw new AppError("NOT_FOUND");
  const app = createAppLink(core, transport);
  return transport.connector.receiveForApp(
    request,
    app as unknown as Parameters<typeof transport.connector.receiveForApp>[1],
  );
}
