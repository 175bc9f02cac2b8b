import { isUuid } from "../../../platform/ids.ts";
import { AccountElsewhere, AppError } from "../../errors.ts";
import type { InboundReply, InboundRequest } from "../../transport/connector.ts";
import { type AppLinkCore, createAppLink } from "../app-link.ts";
import type { LinkCore } from "../link.ts";
import type { HasCallbackBudgets } from "./callback-budgets.ts";
import type { HasCallbackChannels } from "./callback-channels.ts";
import { budgetKeysOf, meteredCallbackLink, refuseBusy } from "./callback-limits.ts";

/** The connector's reply, and for how long it blocked the node before its first await. */
export interface ReceivedReply extends InboundReply {
  readonly ms: number;
}

/**
 * Passes a messenger's callback to the channel's connector, on whichever node it arrived. Throws NOT_FOUND for a
 * channel that does not exist, and `AccountElsewhere` if its account has moved. The connector verifies the caller.
 */
export async function receiveCallback(
  core: LinkCore & HasCallbackBudgets & HasCallbackChannels,
  transportId: string,
  channelId: string,
  request: InboundRequest,
): Promise<ReceivedReply> {
  const transport = core.transports.get(transportId);
  if (transport?.connector.receive === undefined || !isUuid(channelId)) throw new AppError("NOT_FOUND");
  const row = await core.callbackChannels.byId(transportId, channelId);
  if (row === undefined) throw new AppError("NOT_FOUND");
  if (row.moved_to !== null) throw new AccountElsewhere(row.moved_to);
  const keys = budgetKeysOf(row);
  refuseBusy(core, row);
  const link = meteredCallbackLink(core, transport, row);
  const bytes = request.body.length;
  const charge = (ms: number): void => {
    for (const key of keys) core.callbackBudgets.spend(key, { bytes, ms });
  };
  const { received, ms } = timed(() =>
    transport.connector.receive?.(request, link as Parameters<typeof transport.connector.receive>[1]),
  );
  try {
    const reply = (await received) ?? { status: 404 };
    // A refused call is charged to its caller: nobody else may use up the channel's budget.
    if (reply.status < 400) charge(ms);
    return { ...reply, ms };
  } catch (error) {
    // Only calls of a verified caller fail.
    charge(ms);
    throw error;
  }
}

/** Until its first await, a connector blocks the node. */
function timed<T>(work: () => T): { readonly received: T; readonly ms: number } {
  const began = performance.now();
  const received = work();
  return { received, ms: performance.now() - began };
}

export interface AppReply extends ReceivedReply {
  /** Addresses of the cells that need a copy of the call, because accounts of its channels have moved there. */
  readonly elsewhere: ReadonlySet<string>;
}

/** The same for a call that may concern many channels. Throws NOT_FOUND for transports without such calls. */
export async function receiveAppCallback(
  core: AppLinkCore,
  transportId: string,
  request: InboundRequest,
): Promise<AppReply> {
  const transport = core.transports.get(transportId);
  if (transport?.connector.receiveForApp === undefined) throw new AppError("NOT_FOUND");
  const elsewhere = new Set<string>();
  const app = createAppLink(core, transport, elsewhere);
  const { received, ms } = timed(() =>
    transport.connector.receiveForApp?.(
      request,
      app as unknown as Parameters<typeof transport.connector.receiveForApp>[1],
    ),
  );
  return { ...((await received) ?? { status: 404 }), ms, elsewhere };
}
