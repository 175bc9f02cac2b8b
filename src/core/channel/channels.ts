import { type Queryable, sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import { ProxyFailure } from "../../platform/network/proxy/tunnel.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { redactor } from "../channel-log/redact.ts";
import { nextStatus } from "../channel-status.ts";
import { AppError, transportNotAvailable } from "../errors.ts";
import { notifyReceivers, publish } from "../event/publish.ts";
import { checkChannels } from "../quota/channels.ts";
import { lockAccount } from "../quota/quotas.ts";
import type { Scope } from "../scope.ts";
import type { Verified } from "../transport/connector.ts";
import { CredentialsError } from "../transport/errors.ts";
import type { ChannelProfile } from "../transport/events.ts";
import { type RegisteredTransport, requestOf } from "../transport/registry.ts";
import {
  CHANNEL_COLUMNS,
  type Channel,
  type ChannelRow,
  channelOf,
  getChannel,
  MESSENGER_ID_AT_START,
} from "./channel.ts";
import { changeOf, channelFact } from "./channel-fact.ts";
import { credentialsContext, openCredentials } from "./credentials/credentials.ts";
import { checkHistory, type HistoryRequest, requestHistory } from "./history.ts";
import { codesOf } from "./link/codes.ts";
import { leavesCredentialsOut, pageUrl } from "./link/unlinked.ts";
import { type GivenProxy, proxyColumnsOf, type StoredProxy, storedProxy } from "./proxy/given-proxy.ts";
import { exitKeyOf, routeOf } from "./proxy/route.ts";

type Credentials = Readonly<Record<string, unknown>>;
const VERIFY_TIMEOUT_MS = 15_000;

/** For those who restart channels. */
export interface HasLinkSessions {
  /**
   * Ends the sessions that the channel's own link opened, and the links that these have shared. Called after the channel
   * got other credentials, in the same transaction.
   */
  readonly endSessionsOfLink: (tx: Queryable, scope: Scope, channelId: string) => Promise<void>;
}

const INSERT = sql(
  "channel_insert",
  `insert into channels (account_id, id, transport, status, name, phone, username, url, credentials, verified_id,
     proxy, proxy_address, exit_key)
   values ($1, $2, $3, 'init', $4, $5, $6, $7, $8, $9, $10, $11, $12)
   on conflict (account_id, id) do nothing returning ${CHANNEL_COLUMNS}`,
);

/**
 * Creates a channel in `init`. A node opens it within moments, or after a person has linked it with its `url`.
 * Credentials that the messenger rejects, and channels beyond a quota, are rejected before anything is stored.
 * `operationId`, if given, becomes the channel's id. `url` is the address where a person links the channel; null if
 * the credentials did.
 */
export async function createChannel(
  core: Base,
  scope: Scope,
  request: {
    readonly transport: string;
    readonly credentials: Credentials;
    readonly history?: HistoryRequest | undefined;
    readonly proxy?: GivenProxy;
  },
  operationId: string | null,
): Promise<Pick<Channel, "id" | "transport" | "url">> {
  const transport = availableTransport(core, request.transport);
  checkHistory(transport.definition, request.history);
  const { credentials, history } = request;
  const id = operationId ?? newId();
  const proxy = storedProxy(core, { id, definition: transport.definition }, request.proxy);
  const link = { id, transport, credentials, history, proxy };
  const { channel, profile } = await create(core, scope, link);
  const { transport: name, url } = channel;
  return { id: channel.id, transport: name, url: profile === null ? url : null };
}

/** The same with credentials obtained by a person, for a channel with this id. Returns the messenger account. */
export async function createLinkedChannel(core: Base, scope: Scope, link: NewLink): Promise<ChannelProfile> {
  return linkedProfile(await create(core, scope, link));
}

interface NewLink {
  readonly id: string;
  readonly transport: RegisteredTransport;
  readonly credentials: Credentials;
  /** Earlier messages to import. */
  readonly history?: HistoryRequest | undefined;
  /** Of its own, if any. */
  readonly proxy?: StoredProxy | undefined;
}
const NO_PROXY: StoredProxy = { proxy: null, address: null };

/** A transport, with the proxy through which one channel reaches it. */
type RoutedTransport = RegisteredTransport & { readonly proxy: ReturnType<typeof routeOf> };

interface Linked {
  readonly channel: Channel;
  readonly profile: ChannelProfile | null;
}

async function create(
  core: Base,
  scope: Scope,
  { id, transport, credentials: given, history, proxy: own = NO_PROXY }: NewLink,
): Promise<Linked> {
  const unlinked = leavesCredentialsOut(transport, given);
  const credentials = unlinked ? {} : await checked(transport, given);
  const placed = { id, transport: transport.definition.id, proxy: own.proxy };
  const asked = { ...transport, proxy: routeOf(core, placed) };
  const verified = unlinked ? null : await verify(core, asked, credentials);
  const profile = verified?.profile ?? null;
  if (profile !== null) await refuseSecondLink(core, scope, { id, transport, profile });
  const sealed = core.seal.seal(JSON.stringify(verified?.credentials ?? credentials), credentialsContext(id));
  const url = unlinked ? await linkUrl(core, asked, { id, sealedCredentials: sealed }) : null;
  await core.db.tx(async (tx) => {
    await lockAccount(tx, scope);
    const [row] = await tx.query<ChannelRow>(INSERT, [
      scope.accountId,
      id,
      transport.definition.id,
      profile?.name ?? "",
      profile?.phone ?? "",
      profile?.username ?? "",
      profile?.url ?? url,
      sealed,
      profile?.messengerId ?? null,
      own.proxy,
      own.address,
      exitKeyOf(core, placed),
    ]);
    if (row === undefined) return;
    await checkChannels(core, tx, scope);
    if (history !== undefined) await requestHistory(tx, scope, id, history);
    await audit(tx, {
      ...scope,
      action: "channel.create",
      subject: id,
      details: { transport: transport.definition.id },
    });
    const starting = { status: "init", reason: null } as const;
    await publish(tx, [
      { kind: "channel", change: "created", channel: channelFact(core, channelOf(row), starting) },
    ]);
  });
  notifyReceivers(core, [scope.accountId]);
  core.signals.notify("channels", id);
  return { channel: await getChannel(core, scope, id), profile };
}

/**
 * The address where a person links a channel without credentials: on a page, or in the messenger with a claim code.
 */
async function linkUrl(
  core: Base,
  transport: RoutedTransport,
  channel: { readonly id: string; readonly sealedCredentials: Uint8Array },
): Promise<string> {
  const { connector, settings } = transport;
  if (connector.invite === undefined) return pageUrl(core, transport, channel);
  const request = requestOf(transport, {
    redact: redactor(transport, {}),
    allowNetworks: core.settings.allowNetworks,
    proxy: transport.proxy,
  });
  const { claim } = codesOf(core, channel.id, channel.sealedCredentials);
  try {
    return (await connector.invite({ settings, request }, claim, AbortSignal.timeout(VERIFY_TIMEOUT_MS))).url;
  } catch (error) {
    if (!(error instanceof CredentialsError))
      throw new AppError("MESSENGER_UNAVAILABLE", { retryAfter: 10, cause: error });
    const fields = [{ field: "credentials", message: error.message }];
    throw new AppError("VALIDATION_ERROR", { data: { fields }, cause: error });
  }
}

// The owner stays: it closes the session of the earlier epoch before it opens one of this. Another node could open it
// beside that session, and messengers then refuse both, or forget the keys.
const REINIT = sql(
  "channel_reinit",
  `update channels set credentials = $3, status = $4, reason = $5, status_at = now(), epoch = next_epoch(epoch),
     messenger_id = ${MESSENGER_ID_AT_START}, url = coalesce($6, url), verified_id = coalesce($8, verified_id),
     proxy = case when $9 then $10 else proxy end, proxy_address = case when $9 then $11 else proxy_address end, exit_key = $12
   where account_id = $1 and id = $2 and deleted_at is null and not unpaid and ($7::bytea is null or credentials = $7)
   returning ${CHANNEL_COLUMNS}`,
);

/**
 * Restarts the channel from any status with new credentials; its owner closes the session first. A channel that the
 * operator marked as unpaid is rejected and stays unchanged, since a client must not be able to remove the mark, and
 * a 200 would claim that the channel was started. So every accepted reinit leads to `init` and from there to
 * `active`. A channel linked on a page keeps its credentials if none are given, and its `url` opens that page again.
 * Its earlier `url` opens nothing any more, and the sessions that it has opened end, unless the restart comes from one of
 * them (`isByOwnLink`). With `history`, earlier messages are imported again. With `proxy`, it reaches its messenger through
 * another proxy; then no credentials are needed, and an account that is linked stays linked.
 */
export async function reinitChannel(
  core: Base & HasLinkSessions,
  scope: Scope,
  channelId: string,
  {
    credentials,
    history,
    proxy,
    isByOwnLink = false,
  }: {
    readonly credentials: Credentials;
    readonly history?: HistoryRequest | undefined;
    readonly proxy?: GivenProxy;
    readonly isByOwnLink?: boolean;
  },
): Promise<Channel> {
  const attempt = { given: credentials, endsSessions: !isByOwnLink, history, proxy };
  return (await restart(core, scope, channelId, attempt)).channel;
}

/** The same with credentials obtained by a person. Returns the messenger account. */
export async function linkChannel(
  core: Base & HasLinkSessions,
  scope: Scope,
  channelId: string,
  credentials: Credentials,
): Promise<ChannelProfile> {
  return linkedProfile(await restart(core, scope, channelId, { given: credentials, endsSessions: false }));
}

/**
 * Restarts a channel with its stored credentials, whatever its transport. Throws CHANNEL_NOT_FOUND, CHANNEL_NO_MONEY and
 * TRANSPORT_NOT_AVAILABLE.
 */
export async function reconnectChannel(
  core: Base & HasLinkSessions,
  scope: Scope,
  channelId: string,
): Promise<void> {
  await restart(core, scope, channelId, "stored");
}

/**
 * The same for a channel whose claim code was presented, provided that `sealedCredentials` are still the stored ones.
 */
export async function claimChannel(
  core: Base & HasLinkSessions,
  claimed: { readonly accountId: number; readonly channelId: string; readonly sealedCredentials: Buffer },
  verified: Verified<Credentials>,
): Promise<void> {
  const { channelId, sealedCredentials: before, ...scope } = claimed;
  await restart(core, scope, channelId, { verified, before });
}

function linkedProfile({ profile }: Linked): ChannelProfile {
  if (profile === null) throw new Error("The transport does not say whose credentials these are");
  return profile;
}

/** The credentials of a restart: the stored ones, given by a client, or already verified by the transport. */
type Restart =
  | "stored"
  | {
      readonly given: Credentials;
      readonly endsSessions: boolean;
      readonly history?: HistoryRequest | undefined;
      readonly proxy?: GivenProxy;
    }
  | { readonly verified: Verified<Credentials>; readonly before: Buffer };

/** People who link the channel watch it on the sessions of its link. */
function endsSessions(attempt: Restart): boolean {
  return attempt === "stored" || ("given" in attempt && attempt.endsSessions);
}

interface NextCredentials {
  readonly verified: Verified<Credentials> | null;
  readonly credentials: Credentials;
  /** No credentials were given: the stored ones are kept. */
  readonly keeps: boolean;
  readonly before: Buffer | null;
}

async function nextCredentials(
  core: Base,
  scope: Scope,
  { id, transport }: { readonly id: string; readonly transport: RoutedTransport },
  attempt: Restart,
): Promise<NextCredentials> {
  if (attempt !== "stored" && "verified" in attempt) {
    const { verified, before } = attempt;
    return { verified, credentials: verified.credentials ?? {}, keeps: false, before };
  }
  if (attempt === "stored" || keepsCredentials(transport, attempt)) {
    const credentials = await storedCredentials(core, scope, id);
    return { verified: null, credentials, keeps: true, before: null };
  }
  const given = await checked(transport, attempt.given);
  const verified = await verify(core, transport, given);
  return { verified, credentials: verified?.credentials ?? given, keeps: false, before: null };
}

/** Loaded with the first channel that is linked: the library for schemas is large. */
async function checked(
  { definition }: RegisteredTransport,
  given: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const { checkedCredentials } = await import("./credentials/checked-credentials.ts");
  return checkedCredentials(definition.credentials, given);
}

function keepsCredentials(
  transport: RegisteredTransport,
  { given, proxy }: Extract<Restart, { readonly given: Credentials }>,
): boolean {
  return leavesCredentialsOut(transport, given) || (proxy !== undefined && Object.keys(given).length === 0);
}

async function restart(
  core: Base & HasLinkSessions,
  scope: Scope,
  channelId: string,
  attempt: Restart,
): Promise<Linked> {
  const channel = await getChannel(core, scope, channelId);
  if (channel.unpaid) throw new AppError("CHANNEL_NO_MONEY");
  const transport = availableTransport(core, channel.transport);
  const history = attempt !== "stored" && "given" in attempt ? attempt.history : undefined;
  checkHistory(transport.definition, history);
  const given = attempt !== "stored" && "given" in attempt ? attempt.proxy : undefined;
  const own = storedProxy(core, { id: channelId, definition: transport.definition }, given);
  const known = await proxyColumnsOf(core, scope, channelId);
  const placed = {
    id: channelId,
    transport: channel.transport,
    ...known,
    ...(own === undefined ? {} : { proxy: own.proxy }),
  };
  const asked = { ...transport, proxy: routeOf(core, placed) };
  const { verified, credentials, keeps, before } = await nextCredentials(
    core,
    scope,
    { id: channelId, transport: asked },
    attempt,
  );
  const profile = verified?.profile ?? null;
  if (profile !== null && profile.messengerId !== channel.messengerId)
    await refuseSecondLink(core, scope, { id: channelId, transport, profile });
  refuseOtherMessengerAccount(channel, profile);
  const condition = {
    current: { status: channel.status, reason: channel.reason } as Parameters<
      typeof nextStatus
    >[0]["current"],
    unpaid: channel.unpaid,
    messengerId: channel.messengerId || null,
  };
  const next = nextStatus(condition, { kind: "reinit" });
  const sealed = core.seal.seal(JSON.stringify(credentials), credentialsContext(channelId));
  const waits = transport.connector.invite === undefined || Object.keys(credentials).length === 0;
  const hasPage = leavesCredentialsOut(transport, {});
  const url =
    keeps && waits && hasPage
      ? await linkUrl(core, asked, { id: channelId, sealedCredentials: sealed })
      : null;
  const updated = await core.db.tx(async (tx) => {
    const [row] = await tx.query<ChannelRow>(REINIT, [
      scope.accountId,
      channelId,
      sealed,
      next.status,
      next.reason,
      url,
      before,
      profile?.messengerId ?? null,
      own !== undefined,
      own?.proxy ?? null,
      own?.address ?? null,
      exitKeyOf(core, placed),
    ]);
    // Deleted or marked in the meantime.
    if (row === undefined) return null;
    if (history !== undefined) await requestHistory(tx, scope, channelId, history);
    if (endsSessions(attempt)) await core.endSessionsOfLink(tx, scope, channelId);
    const details = {
      transport: channel.transport,
      credentials: keeps ? "kept" : "given",
      ...(own === undefined ? {} : { proxy: own.address ?? "none" }),
    };
    await audit(tx, { ...scope, action: "channel.reinit", subject: channelId, details });
    if (changeOf(channel, channelOf(row)) !== null)
      await publish(tx, [
        { kind: "channel", change: "status", channel: channelFact(core, channelOf(row), next) },
      ]);
    return channelOf(row);
  });
  if (updated === null) {
    await getChannel(core, scope, channelId);
    throw new AppError(before === null ? "CHANNEL_NO_MONEY" : "NOT_FOUND");
  }
  notifyReceivers(core, [scope.accountId]);
  core.signals.notify("channels", channelId);
  return { channel: updated, profile };
}

function refuseOtherMessengerAccount({ messengerId }: Channel, profile: ChannelProfile | null): void {
  if (profile === null || messengerId === "" || messengerId === profile.messengerId) return;
  throw new AppError("WRONG_CREDENTIALS", {
    description: "These credentials belong to another messenger account",
  });
}

const CREDENTIALS = sql(
  "channel_credentials",
  "select credentials from channels where account_id = $1 and id = $2 and deleted_at is null",
);

/** Throws CHANNEL_NOT_FOUND. */
export async function sealedCredentialsOf(core: Base, scope: Scope, channelId: string): Promise<Buffer> {
  const [row] = await core.db.query<{ credentials: Buffer }>(CREDENTIALS, [scope.accountId, channelId]);
  if (row === undefined) throw new AppError("CHANNEL_NOT_FOUND");
  return row.credentials;
}

async function storedCredentials(core: Base, scope: Scope, channelId: string): Promise<Credentials> {
  return openCredentials(core, channelId, await sealedCredentialsOf(core, scope, channelId));
}

const LIST = sql(
  "channel_list",
  `select ${CHANNEL_COLUMNS} from channels where account_id = $1 and deleted_at is null order by created_at, id`,
);

export async function listChannels(core: Base, scope: Scope): Promise<Channel[]> {
  return (await core.db.query<ChannelRow>(LIST, [scope.accountId])).map(channelOf);
}

function availableTransport(core: Base, id: string): RegisteredTransport {
  const transport = core.transports.get(id);
  if (transport !== undefined) return transport;
  throw transportNotAvailable(core.transports);
}

async function verify(
  core: Base,
  transport: RoutedTransport,
  credentials: Credentials,
): Promise<Verified<Credentials> | null> {
  const { connector, settings } = transport;
  if (connector.verify === undefined) return null;
  const request = requestOf(transport, {
    redact: redactor(transport, credentials),
    allowNetworks: core.settings.allowNetworks,
    proxy: transport.proxy,
  });
  try {
    return await connector.verify({ credentials, settings, request }, AbortSignal.timeout(VERIFY_TIMEOUT_MS));
  } catch (error) {
    if (error instanceof CredentialsError) throw new AppError("WRONG_CREDENTIALS", { cause: error });
    throw unavailable(error);
  }
}

/** Says so if the proxy is to blame: its owner can mend that. */
function unavailable(error: unknown): AppError {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ProxyFailure)
      return new AppError("MESSENGER_UNAVAILABLE", {
        retryAfter: 10,
        cause: error,
        description: cause.message,
      });
  return new AppError("MESSENGER_UNAVAILABLE", { retryAfter: 10, cause: error });
}

const LINKED_ALREADY = sql(
  "channel_linked_already",
  `select id from channels where account_id = $1 and transport = $2 and messenger_id = $3
     and id <> $4 and deleted_at is null and status <> 'disabled' limit 1`,
);

/** Checks only the same account: a link by another account appears as `openelsewhere` without further details. */
async function refuseSecondLink(
  core: Base,
  scope: Scope,
  link: { readonly id: string; readonly transport: RegisteredTransport; readonly profile: ChannelProfile },
): Promise<void> {
  const [row] = await core.db.query<{ id: string }>(LINKED_ALREADY, [
    scope.accountId,
    link.transport.definition.id,
    link.profile.messengerId,
    link.id,
  ]);
  if (row !== undefined) throw new AppError("CHANNEL_ALREADY_CONNECTED", { data: { channelId: row.id } });
}
