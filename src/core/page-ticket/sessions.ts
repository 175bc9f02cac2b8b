import { type Queryable, sql } from "../../database/database.ts";
import { isUuid } from "../../platform/ids.ts";
import { isSame } from "../../platform/same.ts";
import { hashToken, newToken } from "../account/tokens.ts";
import type { Base } from "../base.ts";
import { ticketOf } from "../channel/link/unlinked.ts";
import { AppError } from "../errors.ts";
import { jsonValue } from "../json-rows.ts";
import type { Scope } from "../scope.ts";
import { IS_VALID, type Issuer } from "./issuer.ts";
import type { ChannelsOpening, ChatsOpening, Opening } from "./opening.ts";

/** What a session of a page may access. */
export interface PageSession {
  readonly scope: Scope;
  readonly issuer: Issuer;
  readonly opening: Opening;
  readonly openedAt: Date;
  /** Channels that were created in this session. */
  readonly channelIds: readonly string[];
  /** Whether it comes from a channel's own link, and so ends when someone else restarts the channel. */
  readonly isByOwnLink: boolean;
  readonly hash: Buffer;
}

/** How a page proves that it was opened by one of our links. */
export type PageProof =
  /** The ticket of `/app/…?ticket=`; valid once, within ten minutes. */
  | { readonly ticket: string }
  /** A channel's own link, `/connect/{transport}/{ticket}`; valid until the channel is linked. */
  | { readonly transport: string; readonly ticket: string };

/** A page may stay open for a working day. */
const SESSION_SECONDS = 12 * 3600;

const REDEEM = sql(
  "page_session_open",
  `update page_tickets t set redeemed_at = now(), session_hash = $2,
     expires_at = least(now() + interval '${SESSION_SECONDS} seconds', ends_at)
   where hash = $1 and page = $3 and redeemed_at is null and ${IS_VALID}
   returning account_id, opening, ceil(extract(epoch from expires_at - now()))::int as seconds`,
);
// Waits for a restart of the channel, after which its credentials differ.
const ISSUE = sql(
  "page_session_issue",
  `insert into page_tickets (account_id, hash, page, opening, expires_at, redeemed_at, session_hash, link_channel)
   select account_id, $3, 'channels', $4, now() + interval '${SESSION_SECONDS} seconds', now(), $5, id
   from channels where id = $1 and credentials = $2 and deleted_at is null for share
   returning account_id`,
);

/** A session that was just opened. */
export interface OpenedSession<O extends Opening> {
  readonly token: string;
  readonly scope: Scope;
  readonly opening: O;
  /** Until it ends. */
  readonly seconds: number;
}

/** Opens a session of the connect page; null if the proof is unknown, used, expired or for another page. */
export async function openSession(
  core: Base,
  proof: PageProof,
): Promise<OpenedSession<ChannelsOpening> | null> {
  if ("transport" in proof) return openByChannel(core, proof, newToken("page", core.settings.cell));
  return redeem<ChannelsOpening>(core, "channels", proof.ticket);
}

/** The same for the chat page. */
export function openChatsSession(core: Base, ticket: string): Promise<OpenedSession<ChatsOpening> | null> {
  return redeem<ChatsOpening>(core, "chats", ticket);
}

/** A ticket for another page is not used up. */
async function redeem<O extends Opening>(
  { db, settings }: Base,
  page: O["page"],
  ticket: string,
): Promise<OpenedSession<O> | null> {
  const token = newToken("page", settings.cell);
  const hashes = [hashToken(ticket), hashToken(token)];
  const [row] = await db.query<{ account_id: number; opening: O; seconds: number }>(REDEEM, [
    ...hashes,
    page,
  ]);
  if (row === undefined) return null;
  const { account_id: accountId, opening, seconds } = row;
  return { token, scope: { accountId }, opening, seconds };
}

const CHANNEL = sql(
  "channel_for_page",
  "select account_id, transport, credentials from channels where id = $1 and deleted_at is null",
);

async function openByChannel(
  core: Base,
  { transport, ticket }: { readonly transport: string; readonly ticket: string },
  token: string,
): Promise<OpenedSession<ChannelsOpening> | null> {
  const found = await findByLink(core, transport, ticket);
  if (found === null) return null;
  const opening = { page: "channels", transport, channelId: found.channelId } as const;
  const hashes = [hashToken(newToken("page", core.settings.cell)), jsonValue(opening), hashToken(token)];
  const issued = await core.db.query(ISSUE, [found.channelId, found.sealedCredentials, ...hashes]);
  if (issued.length === 0) return null;
  return { token, scope: { accountId: found.accountId }, opening, seconds: SESSION_SECONDS };
}

const ORIGIN = sql(
  "page_ticket_origin",
  `select a.name, t.opening->>'refreshUrl' as "refreshUrl" from page_tickets t join accounts a on a.id = t.account_id
   where t.hash = $1 and t.page = 'channels'`,
);

/** Who has requested a link. */
export interface LinkOrigin {
  /** Of the account; "" if it has none. */
  readonly name: string;
  /** Where a person gets a new link. */
  readonly refreshUrl: string | null;
}

/** Also of a link that no longer works; null if it is unknown, or ended more than 30 days ago. */
export async function findLinkOrigin(db: Queryable, ticket: string): Promise<LinkOrigin | null> {
  const [found] = await db.query<LinkOrigin>(ORIGIN, [hashToken(ticket)]);
  return found ?? null;
}

interface LinkedChannel {
  readonly accountId: number;
  readonly channelId: string;
  readonly sealedCredentials: Buffer;
}

async function findByLink(core: Base, transport: string, ticket: string): Promise<LinkedChannel | null> {
  const [channelId = ""] = ticket.split(".");
  if (!isUuid(channelId)) return null;
  const [row] = await core.db.query<{ account_id: number; transport: string; credentials: Buffer }>(CHANNEL, [
    channelId,
  ]);
  // Compared here, because the given one may have characters that the database does not.
  if (row === undefined || row.transport !== transport) return null;
  if (!isSame(ticket, ticketOf(core, channelId, row.credentials))) return null;
  return { accountId: row.account_id, channelId, sealedCredentials: row.credentials };
}

const FIND = sql(
  "page_session_find",
  `select account_id, token_id, grant_id, opening, redeemed_at, channels, link_channel is not null as by_own_link
   from page_tickets t where session_hash = $1 and ${IS_VALID}`,
);

interface SessionRow {
  readonly account_id: number;
  readonly token_id: string | null;
  readonly grant_id: string | null;
  readonly opening: Opening;
  readonly redeemed_at: Date;
  readonly channels: string[];
  readonly by_own_link: boolean;
}

/** Null if the token is unknown or the session has ended. */
export async function findSession(db: Queryable, token: string): Promise<PageSession | null> {
  const hash = hashToken(token);
  const [row] = await db.query<SessionRow>(FIND, [hash]);
  if (row === undefined) return null;
  const { account_id: accountId, token_id: tokenId, grant_id: grantId } = row;
  return {
    scope: { accountId },
    issuer: { accountId, tokenId, grantId, session: hash },
    opening: row.opening,
    openedAt: row.redeemed_at,
    channelIds: row.channels,
    isByOwnLink: row.by_own_link,
    hash,
  };
}

const VALID = sql(
  "page_sessions_valid",
  `select encode(session_hash, 'hex') as hash from page_tickets t where session_hash = any($1::bytea[]) and ${IS_VALID}`,
);

/** Those of the sessions that have not ended. */
export async function validSessions<S extends PageSession>(
  db: Queryable,
  sessions: readonly S[],
): Promise<Set<S>> {
  const rows = await db.query<{ hash: string }>(VALID, [sessions.map(({ hash }) => hash)]);
  const valid = new Set(rows.map(({ hash }) => hash));
  return new Set(sessions.filter(({ hash }) => valid.has(hash.toString("hex"))));
}

const REMEMBER = sql(
  "page_session_channel",
  "update page_tickets set channels = channels || $2::uuid where session_hash = $1 and not channels @> array[$2::uuid]",
);

/** Gives the session access to a channel that was created in it. */
export async function rememberChannel(core: Base, session: PageSession, channelId: string): Promise<void> {
  await core.db.query(REMEMBER, [session.hash, channelId]);
}

/** Throws CHANNEL_NOT_FOUND for a channel that the session may not access, as for one that does not exist. */
export function refuseForeignChannel({ opening, channelIds }: PageSession, channelId: string): void {
  const own = opening.page === "channels" && opening.channelId === channelId;
  if (!own && !channelIds.includes(channelId)) throw new AppError("CHANNEL_NOT_FOUND");
}

const END_BY_LINK = sql(
  "page_sessions_end_by_link",
  "update page_tickets set expires_at = now() where account_id = $1 and link_channel = $2 and expires_at > now() returning 1",
);

/**
 * Ends the sessions that the channel's own link opened, and the links that these have shared. Call it after the channel
 * got other credentials, in the same transaction.
 */
export async function endSessionsOfLink(tx: Queryable, scope: Scope, channelId: string): Promise<void> {
  // A session that was sharing a link meanwhile has made the statement wait, which has not seen the new ticket.
  while ((await tx.query(END_BY_LINK, [scope.accountId, channelId])).length > 0);
}

const ORIGINS = sql(
  "page_frame_origins",
  `select frame_origins from accounts
   where id = (select account_id from page_tickets t where hash = $1 and ${IS_VALID})`,
);
const ORIGINS_BY_CHANNEL = sql(
  "page_frame_origins_by_channel",
  "select a.frame_origins from accounts a join channels c on c.account_id = a.id where c.id = $1 and c.deleted_at is null",
);

/** Origins that may embed the page, `["*"]` for any; none for a proof that opens nothing. */
export async function frameOrigins(core: Base, proof: PageProof): Promise<readonly string[]> {
  const rows = await originRows(core, proof);
  const [row] = rows;
  return row === undefined ? [] : (row.frame_origins ?? ["*"]);
}

async function originRows(core: Base, proof: PageProof): Promise<{ frame_origins: string[] | null }[]> {
  if (!("transport" in proof)) return core.db.query(ORIGINS, [hashToken(proof.ticket)]);
  const found = await findByLink(core, proof.transport, proof.ticket);
  return found === null ? [] : core.db.query(ORIGINS_BY_CHANNEL, [found.channelId]);
}
