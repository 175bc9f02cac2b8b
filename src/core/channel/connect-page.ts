import { timingSafeEqual } from "node:crypto";
import { sql } from "../../database/database.ts";
import { isUuid } from "../../platform/ids.ts";
import type { Core } from "../core.ts";
import { AppError } from "../errors.ts";
import type { PageReply, PageVisit } from "../transport/connector.ts";
import { linkChannel } from "./channels.ts";
import { openCredentials } from "./link.ts";
import { type ChannelFound, passingLink } from "./passing-link.ts";
import { masker, redactor } from "./redact.ts";
import { isUnlinked, ticketOf } from "./unlinked.ts";

const FIND = sql(
  "channel_for_page",
  `select account_id, id, epoch, credentials from channels
   where id = $1 and transport = $2 and deleted_at is null`,
);

/** A visit as HTTP brings it. */
export type PageRequest = Pick<PageVisit<unknown>, "method" | "query" | "form">;

/**
 * Lets the transport answer a visit to the page of one channel. Throws NOT_FOUND for a ticket that is unknown or has
 * served: the channel was linked with it, or re-initialised since.
 */
export async function visitPage(
  core: Core,
  transportId: string,
  ticket: string,
  request: PageRequest,
): Promise<PageReply> {
  const transport = core.transports.get(transportId);
  const [channelId = ""] = ticket.split(".");
  if (transport?.connector.page === undefined || !isUuid(channelId)) throw new AppError("NOT_FOUND");
  const [row] = await core.db.query<ChannelFound>(FIND, [channelId, transportId]);
  if (row === undefined || !isSame(ticket, ticketOf(core, channelId, row.credentials)))
    throw new AppError("NOT_FOUND");

  const concealed: string[] = [];
  const credentials = openCredentials(core, channelId, row.credentials);
  const known = redactor(transport, credentials);
  const link = passingLink(core, transport, row, { redact: (text) => masker(concealed)(known(text)) });
  const pages = `${core.settings.publicUrl}/connect/${transportId}`;
  const visit: PageVisit<Readonly<Record<string, unknown>>> = {
    ...request,
    url: `${pages}/${ticket}`,
    returnUrl: pages,
    state: ticket,
    isLinked: !isUnlinked(transport, credentials),
    conceal: (secret) => void concealed.push(secret),
    connect: (found) => connect(core, { accountId: row.account_id, channelId }, found),
  };
  return transport.connector.page(visit, link as Parameters<typeof transport.connector.page>[1]);
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function connect(
  core: Core,
  key: { readonly accountId: number; readonly channelId: string },
  credentials: Readonly<Record<string, unknown>>,
): ReturnType<PageVisit<unknown>["connect"]> {
  try {
    return { profile: await linkChannel(core, key, key.channelId, credentials) };
  } catch (error) {
    if (error instanceof AppError && error.status !== 404) return { refusal: error.message };
    throw error;
  }
}
