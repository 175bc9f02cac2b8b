import { sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import { forgetChats } from "../chat/chats.ts";
import type { Core, Scope } from "../core.ts";
import { AppError } from "../errors.ts";
import { channelEvents } from "../event/payloads.ts";
import { publish } from "../event/publish.ts";
import { channelV2Event } from "../event/v2-payloads.ts";
import { checkChannels } from "../quota/channels.ts";
import { lockAccount } from "../quota/quotas.ts";
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
import { checkedCredentials } from "./checked-credentials.ts";
import { credentialsContext } from "./credentials.ts";
import { forgetChannel, forgetSomeHistory } from "./forgotten.ts";
import { openCredentials } from "./link.ts";
import { redactor } from "./redact.ts";
import { nextStatus } from "./status.ts";
import { isUnlinked, pageUrl } from "./unlinked.ts";

type Credentials = Readonly<Record<string, unknown>>;
const VERIFY_TIMEOUT_MS = 15_000;

const INSERT = sql(
  "channel_insert",
  `insert into channels (account_id, id, transport, status, name, phone, username, url, credentials)
   values ($1, $2, $3, 'init', $4, $5, $6, $7, $8)
   on conflict (account_id, id) do nothing returning ${CHANNEL_COLUMNS}`,
);

/**
 * Creates a channel in `init`; a node opens it within moments, or once a person has linked it on the page that its
 * `url` leads to. Credentials that the messenger refuses are refused here, before anything is stored, and so is what
 * goes beyond a quota. `operationId`, when given, becomes the channel's id.
 */
export async function createChannel(
  core: Core,
  scope: Scope,
  request: { readonly transport: string; readonly credentials: Credentials },
  operationId: string | null,
): Promise<Channel> {
  const transport = availableTransport(core, request.transport);
  const unlinked = isUnlinked(transport, request.credentials);
  const credentials = unlinked
    ? {}
    : checkedCredentials(transport.definition.credentials, request.credentials);
  const verified = unlinked ? null : await verify(transport, credentials);
  const profile = verified?.profile ?? null;
  const id = operationId ?? newId();
  if (profile !== null) await refuseSecondLink(core, scope, { id, transport, profile });
  const sealed = core.seal.seal(JSON.stringify(verified?.credentials ?? credentials), credentialsContext(id));
  const page = unlinked ? pageUrl(core, transport, { id, sealedCredentials: sealed }) : null;
  await core.db.tx(async (tx) => {
    await lockAccount(tx, scope);
    const [row] = await tx.query<ChannelRow>(INSERT, [
      scope.accountId,
      id,
      request.transport,
      profile?.name ?? "",
      profile?.phone ?? "",
      profile?.username ?? "",
      profile?.url ?? page,
      sealed,
    ]);
    if (row === undefined) return;
    await checkChannels(core, tx, scope);
    const starting = { status: "init", reason: null } as const;
    await publish(tx, [channelV2Event("channel.create", channelFact(core, channelOf(row), starting))]);
  });
  core.wakes.wake("webhooks");
  core.wakes.wake("channels", id);
  return getChannel(core, scope, id);
}

const REINIT = sql(
  "channel_reinit",
  `update channels set credentials = $3, status = $4, reason = $5, status_at = now(), owner = null, epoch = epoch + 1,
     messenger_id = ${MESSENGER_ID_AT_START}, url = coalesce($6, url)
   where account_id = $1 and id = $2 and deleted_at is null and not unpaid returning ${CHANNEL_COLUMNS}`,
);

/**
 * Starts the channel again from any status, with new credentials; whoever works on it now loses it. A channel that
 * the operator marked as unpaid is refused as a whole, as its messages are, and keeps what it has: a client must not
 * lift the operator's mark, and to answer 200 and leave it disabled would say that something had been started. So
 * every reinit that is accepted leads to `init` and from there to `active`. A channel that is linked on a page keeps
 * the credentials that it has when none are given, and its `url` leads to that page once more.
 */
export async function reinitChannel(
  core: Core,
  scope: Scope,
  channelId: string,
  request: { readonly credentials: Credentials },
): Promise<Channel> {
  return (await restart(core, scope, channelId, request.credentials)).channel;
}

/** The same for credentials that a person brought about; answers whose they are. */
export async function linkChannel(
  core: Core,
  scope: Scope,
  channelId: string,
  credentials: Credentials,
): Promise<ChannelProfile> {
  const { profile } = await restart(core, scope, channelId, credentials);
  if (profile === null) throw new Error("The transport does not say whose credentials these are");
  return profile;
}

async function restart(
  core: Core,
  scope: Scope,
  channelId: string,
  given: Credentials,
): Promise<{ channel: Channel; profile: ChannelProfile | null }> {
  const channel = await getChannel(core, scope, channelId);
  if (channel.unpaid) throw new AppError("CHANNEL_NO_MONEY");
  const transport = availableTransport(core, channel.transport);
  const keeps = isUnlinked(transport, given);
  const credentials = keeps
    ? await storedCredentials(core, scope, channelId)
    : checkedCredentials(transport.definition.credentials, given);
  const verified = keeps ? null : await verify(transport, credentials);
  const profile = verified?.profile ?? null;
  if (profile !== null && profile.messengerId !== channel.messengerId)
    await refuseSecondLink(core, scope, { id: channelId, transport, profile });
  if (profile !== null && channel.messengerId !== "" && channel.messengerId !== profile.messengerId) {
    throw new AppError("WRONG_CREDENTIALS", {
      description: "These credentials belong to another messenger account",
    });
  }
  const condition = {
    current: { status: channel.status, reason: channel.reason } as Parameters<
      typeof nextStatus
    >[0]["current"],
    unpaid: channel.unpaid,
    messengerId: channel.messengerId || null,
  };
  const next = nextStatus(condition, { kind: "reinit" });
  const sealed = core.seal.seal(
    JSON.stringify(verified?.credentials ?? credentials),
    credentialsContext(channelId),
  );
  const updated = await core.db.tx(async (tx) => {
    const [row] = await tx.query<ChannelRow>(REINIT, [
      scope.accountId,
      channelId,
      sealed,
      next.status,
      next.reason,
      keeps ? pageUrl(core, transport, { id: channelId, sealedCredentials: sealed }) : null,
    ]);
    // Deleted or marked in between.
    if (row === undefined) return null;
    if (changeOf(channel, channelOf(row)) !== null)
      await publish(tx, channelEvents(channelFact(core, channelOf(row), next)));
    return channelOf(row);
  });
  if (updated === null) {
    await getChannel(core, scope, channelId);
    throw new AppError("CHANNEL_NO_MONEY");
  }
  core.wakes.wake("webhooks");
  core.wakes.wake("channels", channelId);
  return { channel: updated, profile };
}

const CREDENTIALS = sql(
  "channel_credentials",
  "select credentials from channels where account_id = $1 and id = $2 and deleted_at is null",
);

async function storedCredentials(core: Core, { accountId }: Scope, channelId: string): Promise<Credentials> {
  const [row] = await core.db.query<{ credentials: Buffer }>(CREDENTIALS, [accountId, channelId]);
  if (row === undefined) throw new AppError("CHANNEL_NOT_FOUND");
  return openCredentials(core, channelId, row.credentials);
}

const LIST = sql(
  "channel_list",
  `select ${CHANNEL_COLUMNS} from channels where account_id = $1 and deleted_at is null order by created_at, id`,
);

export async function listChannels(core: Core, scope: Scope): Promise<Channel[]> {
  return (await core.db.query<ChannelRow>(LIST, [scope.accountId])).map(channelOf);
}

/** Messages and files of an account with millions go on being forgotten after the answer. */
const FORGETTING_MS = 3_000;
const REMOVE = sql(
  "channel_remove",
  `update channels set deleted_at = now(), status = 'disabled', reason = null, status_at = now(),
     leaving_until = now() + interval '1 day'
   where account_id = $1 and id = $2 and deleted_at is null returning ${CHANNEL_COLUMNS}`,
);

/**
 * Deletes a channel: its session ends at once, messages not yet sent are reported as `MESSAGE_CANCELLED`, and the
 * history stays unless `deleteChats`, which may take minutes where it is long. The row itself remains for the history.
 * Until the messenger has let the channel go, for a day at most, the node that owns it keeps its keys.
 */
export async function removeChannel(
  core: Core,
  scope: Scope,
  channelId: string,
  options: { readonly deleteChats: boolean },
): Promise<void> {
  await core.db.tx(async (tx) => {
    const [row] = await tx.query<ChannelRow>(REMOVE, [scope.accountId, channelId]);
    if (row === undefined) throw new AppError("CHANNEL_NOT_FOUND");
    // Nobody can answer through it any more.
    await tx.query("delete from unanswered where account_id = $1 and channel_id = $2", [
      scope.accountId,
      channelId,
    ]);
    if (options.deleteChats) await forgetChannel(tx, scope, channelId);
    const fact = channelFact(core, channelOf(row), { status: "disabled", reason: null });
    await publish(tx, [...channelEvents(fact), channelV2Event("channel.delete", fact)]);
  });
  core.wakes.wake("channels", channelId);
  core.wakes.wake("webhooks");
  if (!options.deleteChats) return;
  forgetChats(core);
  const until = core.clock.monotonicMs() + FORGETTING_MS;
  // The channel is deleted: where this fails, the sweeps go on with it.
  const forgetOn = () => forgetSomeHistory(core.db, channelId).catch(() => false);
  while (core.clock.monotonicMs() < until && (await forgetOn()));
}

function availableTransport(core: Core, id: string): RegisteredTransport {
  const transport = core.transports.get(id);
  if (transport !== undefined) return transport;
  throw new AppError("TRANSPORT_NOT_AVAILABLE", { data: { available: [...core.transports.keys()] } });
}

async function verify(
  transport: RegisteredTransport,
  credentials: Credentials,
): Promise<Verified<Credentials> | null> {
  const { connector, settings } = transport;
  if (connector.verify === undefined) return null;
  const request = requestOf(transport, { redact: redactor(transport, credentials) });
  try {
    return await connector.verify({ credentials, settings, request }, AbortSignal.timeout(VERIFY_TIMEOUT_MS));
  } catch (error) {
    if (error instanceof CredentialsError) throw new AppError("WRONG_CREDENTIALS", { cause: error });
    throw new AppError("MESSENGER_UNAVAILABLE", { retryAfter: 10, cause: error });
  }
}

const LINKED_ALREADY = sql(
  "channel_linked_already",
  `select id from channels where account_id = $1 and transport = $2 and messenger_id = $3
     and id <> $4 and deleted_at is null and status <> 'disabled' limit 1`,
);

/** Only within the account: what other accounts have linked shows itself as `openelsewhere`, and nothing more. */
async function refuseSecondLink(
  core: Core,
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
