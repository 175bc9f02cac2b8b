import { sql } from "../../database/database.ts";
import { isUuid } from "../../platform/ids.ts";
import type { Core } from "../core.ts";
import { AppError } from "../errors.ts";
import { Seldom } from "../seldom.ts";
import type { AppLink, ChannelLink, InboundReply, InboundRequest } from "../transport/connector.ts";
import { callbackSecretOf } from "./link.ts";
import { type ChannelFound, passingLink } from "./passing-link.ts";

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
  const link = passingLink(core, transport, row);
  return transport.connector.receive(request, link as Parameters<typeof transport.connector.receive>[1]);
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
   order by messenger_id, status <> 'disabled' desc, status_at desc`,
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
  const app: AppLink<ChannelLink> = {
    settings: transport.settings,
    callbackSecret: callbackSecretOf(core, transport, ""),
    async find({ messengerIds, businessIds }) {
      const rows = await core.db.query<NamedChannel>(FIND_MANY, [transportId, messengerIds, businessIds]);
      return rows.map((row) => ({
        messengerId: row.messenger_id,
        businessId: row.business_id,
        phone: row.phone,
        link: passingLink(core, transport, row),
      }));
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
