import { sql } from "../../database/database.ts";
import { hashToken, newToken } from "../account/tokens.ts";
import type { Base } from "../base.ts";
import { getChannel } from "../channel/channel.ts";
import { AppError } from "../errors.ts";
import { jsonValue } from "../json-rows.ts";
import type { Scope } from "../scope.ts";
import type { ChannelsOpening, ChatsOpening, Opening } from "./opening.ts";

const LIFETIME_SECONDS = 600;

const INSERT = sql(
  "page_ticket_insert",
  `insert into page_tickets (account_id, hash, page, opening, expires_at)
   values ($1, $2, $3, $4, now() + interval '${LIFETIME_SECONDS} seconds')`,
);

/**
 * The address of a connect page, valid once within ten minutes. Throws CHANNEL_NOT_FOUND, TRANSPORT_NOT_AVAILABLE for
 * a transport that is not installed, and VALIDATION_ERROR if it is not the channel's.
 */
export async function channelsLink(
  core: Base,
  scope: Scope,
  { transport: named, channelId }: Omit<ChannelsOpening, "page">,
): Promise<string> {
  const channel = channelId === null ? null : await getChannel(core, scope, channelId);
  const wanted = named ?? channel?.transport ?? null;
  if (channel !== null && wanted !== channel.transport)
    throw new AppError("VALIDATION_ERROR", {
      data: { fields: [{ field: "options.transport", message: "must be that of the channel" }] },
    });
  if (wanted !== null && !core.transports.has(wanted))
    throw new AppError("TRANSPORT_NOT_AVAILABLE", { data: { available: [...core.transports.keys()] } });
  return issue(core, scope, { page: "channels", transport: wanted, channelId });
}

/** The address of a chat page, valid once within ten minutes. Throws CHANNEL_NOT_FOUND. */
export async function chatsLink(
  core: Base,
  scope: Scope,
  opening: Omit<ChatsOpening, "page">,
): Promise<string> {
  const channelId = opening.activeChat?.channelId ?? null;
  if (channelId !== null) await getChannel(core, scope, channelId);
  return issue(core, scope, { page: "chats", ...opening });
}

async function issue(core: Base, { accountId }: Scope, opening: Opening): Promise<string> {
  const ticket = newToken("page");
  await core.db.query(INSERT, [accountId, hashToken(ticket), opening.page, jsonValue(opening)]);
  return `${core.settings.publicUrl}/app/${opening.page}?ticket=${ticket}`;
}
