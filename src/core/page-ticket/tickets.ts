import { sql } from "../../database/database.ts";
import type { Identity } from "../account/authenticate.ts";
import { includesScope } from "../account/oauth-scope.ts";
import { hashToken, newToken } from "../account/tokens.ts";
import type { Base } from "../base.ts";
import { getChannel } from "../channel/channel.ts";
import { AppError, transportNotAvailable } from "../errors.ts";
import { jsonValue } from "../json-rows.ts";
import { redirectUriProblem } from "../oauth/redirect-uri.ts";
import type { Issuer } from "./issuer.ts";
import type { ChannelsOpening, Opening, RequestedChats } from "./opening.ts";

const LIFETIME_SECONDS = 600;

const INSERT = sql(
  "page_ticket_insert",
  // The lock lets whoever ends the session wait for the ticket.
  `with session as materialized (
     select expires_at, link_channel from page_tickets where session_hash = $7 for share
   )
   insert into page_tickets (account_id, hash, page, opening, token_id, grant_id, expires_at, ends_at, link_channel)
   select $1, $2, $3, $4, $5, $6, least(now() + interval '${LIFETIME_SECONDS} seconds', s.expires_at), s.expires_at,
     s.link_channel
   from (select 1) one left join session s on true`,
);

/**
 * The address of a connect page, valid once within ten minutes. Throws CHANNEL_NOT_FOUND, TRANSPORT_NOT_AVAILABLE for
 * a transport that is not installed, and VALIDATION_ERROR if it is not the channel's, or for an address that is not allowed.
 */
export async function channelsLink(
  core: Base,
  issuer: Issuer,
  { transport: named, channelId, ...addresses }: Omit<ChannelsOpening, "page">,
): Promise<string> {
  refuseAddresses(addresses);
  const channel = channelId === null ? null : await getChannel(core, issuer, channelId);
  const wanted = named ?? channel?.transport ?? null;
  if (channel !== null && wanted !== channel.transport)
    throw new AppError("VALIDATION_ERROR", {
      data: { fields: [{ field: "options.transport", message: "must be that of the channel" }] },
    });
  if (wanted !== null && !core.transports.has(wanted)) throw transportNotAvailable(core.transports);
  return issue(core, issuer, { page: "channels", transport: wanted, channelId, ...addresses });
}

/** The page sends people to these addresses, which are not of ours. */
function refuseAddresses({ refreshUrl, returnUrl }: Pick<ChannelsOpening, "refreshUrl" | "returnUrl">): void {
  const given = [
    ["options.refresh_url", refreshUrl],
    ["options.return_url", returnUrl],
  ] as const;
  const fields = given.flatMap(([field, url]) => {
    const message = url === undefined ? null : redirectUriProblem(url);
    return message === null ? [] : [{ field, message }];
  });
  if (fields.length > 0) throw new AppError("VALIDATION_ERROR", { data: { fields } });
}

/** The address of a chat page, valid once within ten minutes. Throws CHANNEL_NOT_FOUND. */
export async function chatsLink(core: Base, caller: Identity, opening: RequestedChats): Promise<string> {
  const channelId = opening.activeChat?.channelId ?? null;
  if (channelId !== null) await getChannel(core, caller, channelId);
  const crm = includesScope(caller.scope, "crm");
  return issue(core, caller, { page: "chats", ...opening, crm });
}

async function issue(core: Base, issuer: Issuer, opening: Opening): Promise<string> {
  const { accountId, tokenId, grantId, session = null } = issuer;
  const ticket = newToken("page", core.settings.cell);
  const values = [accountId, hashToken(ticket), opening.page, jsonValue(opening), tokenId, grantId, session];
  await core.db.query(INSERT, values);
  return `${core.settings.publicUrl}/app/${opening.page}?ticket=${ticket}`;
}
