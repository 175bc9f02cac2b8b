import { sql } from "../../database/database.ts";
import { isUuid } from "../../platform/ids.ts";
import type { Core } from "../core.ts";
import { AppError } from "../errors.ts";
import { Seldom } from "../seldom.ts";
import type {
  AppChannel,
  AppLink,
  ChannelLink,
  InboundReply,
  InboundRequest,
} from "../transport/connector.ts";
import { countingLink, payersOf, refuseBusy, waitSeconds } from "./callback-limits.ts";
import { callbackSecretOf } from "./link.ts";
import type { ChannelFound } from "./passing-link.ts";

const FIND = sql(
  "channel_for_callback",
  "select account_id, id, epoch, credentials from channels where id = $1 and transport = $2 and deleted_at is null",
);

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
  if (transport?.connector.receive === undefined || !isUuid(channelId)) throw new AppError("NOT_FOUND");
  const [row] = await core.db.query<ChannelFound>(FIND, [channelId, transportId]);
  if (row === undefined) throw new AppError("NOT_FOUND");
  const payers = payersOf(row);
  refuseBusy(core, row);
  const link = countingLink(core, transport, row);
  const began = performance.now();
  const received = transport.connector.receive(
    request,
    link as Parameters<typeof transport.connector.receive>[1],
  );
  // Up to its first pause, a connector keeps the node from all else.
  const ms = performance.now() - began;
  const reply = await received;
  const bytes = request.body.length;
  if (reply.status < 400) for (const payer of payers) core.callbackBudgets.spend(payer, { bytes, ms });
  return reply;
}

/** Anybody can call, and a connector notes who is refused. */
const REPEATS_AFTER_MS = 600_000;
const news = new WeakMap<Core, Seldom>();

function newsOf(core: Core): Seldom {
  const known = news.get(core) ?? new Seldom({ maxEntries: 100, ttlMs: REPEATS_AFTER_MS });
  news.set(core, known);
  return known;
}

const NAMED = "account_id, id, epoch, credentials, messenger_id, business_id, phone, status, status_at";
/** The live channel of each id; without one, the channel that had it last, since its block may be over. */
const FIND_MANY = sql(
  "channels_for_callback",
  `select distinct on (messenger_id) account_id, id, epoch, credentials, messenger_id, business_id, phone
   from (
     select ${NAMED} from channels where transport = $1 and messenger_id = any($2) and deleted_at is null
     union all
     select ${NAMED} from channels where transport = $1 and business_id = any($3) and deleted_at is null
       and messenger_id is not null
   ) c
   order by messenger_id, status <> 'disabled' desc, status_at desc
   limit 1000`,
);

interface NamedChannel extends ChannelFound {
  readonly messenger_id: string;
  readonly business_id: string | null;
  readonly phone: string;
}

/** The same for a call that may concern many channels. Throws NOT_FOUND for transports that are not called so. */
export async function receiveAppCallback(
  core: Core,
  transportId: string,
  request: InboundRequest,
): Promise<InboundReply> {
  const transport = core.transports.get(transportId);
  if (transport?.connector.receiveForApp === undefined) throw new AppError("NOT_FOUND");
  const rows = new WeakMap<AppChannel<ChannelLink>, NamedChannel>();
  const app: AppLink<ChannelLink> = {
    settings: transport.settings,
    callbackSecret: callbackSecretOf(core, transport, ""),
    async find({ messengerIds, businessIds }) {
      const found = await core.db.query<NamedChannel>(FIND_MANY, [transportId, messengerIds, businessIds]);
      return found.map((row) => {
        const channel = {
          messengerId: row.messenger_id,
          businessId: row.business_id,
          phone: row.phone,
          link: countingLink(core, transport, row),
        };
        rows.set(channel, row);
        return channel;
      });
    },
    mayTake(channel) {
      const row = rows.get(channel);
      return row !== undefined && waitSeconds(core, row) === 0;
    },
    spend(channel, cost) {
      const row = rows.get(channel);
      if (row !== undefined) for (const payer of payersOf(row)) core.callbackBudgets.spend(payer, cost);
    },
    log: (level, message, details) => {
      const isNews = newsOf(core).isNews(`${transportId} ${message}`);
      core.log[isNews ? level : "debug"]({ transport: transportId, ...details }, message);
    },
  };
  return transport.connector.receiveForApp(
    request,
    app as unknown as Parameters<typeof transport.connector.receiveForApp>[1],
  );
}
