import { sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { notifyReceivers, publish } from "../event/publish.ts";
import { checkChannels } from "../quota/channels.ts";
import { lockAccount } from "../quota/quotas.ts";
import type { Scope } from "../scope.ts";
import { CHANNEL_COLUMNS, type ChannelRow, channelOf } from "./channel.ts";
import { channelFact } from "./channel-fact.ts";
import { credentialsContext } from "./credentials/credentials.ts";
import { pageUrl } from "./link/unlinked.ts";

/** A channel of another service. */
export interface AdoptedChannel {
  readonly id: string;
  readonly transport: string;
  readonly name: string;
  readonly phone: string;
  readonly username: string;
}

/**
 * `adopted`: created now. `known`: the account has it. `deleted`: the account had it, and its id is used up. `elsewhere`: another
 * account of this installation has it. `unavailable`: this installation has no such transport.
 */
export type AdoptionOutcome = "adopted" | "known" | "deleted" | "elsewhere" | "unavailable";

const OWNER = sql("channel_owner", "select account_id, deleted_at from channels where id = $1");

/** What `adoptChannel` would do. */
export async function adoptionOf(
  core: Base,
  { accountId }: Scope,
  { id, transport }: Pick<AdoptedChannel, "id" | "transport">,
): Promise<AdoptionOutcome> {
  const [owner] = await core.db.query<{ account_id: number; deleted_at: Date | null }>(OWNER, [id]);
  if (owner !== undefined && owner.account_id !== accountId) return "elsewhere";
  if (owner !== undefined) return owner.deleted_at === null ? "known" : "deleted";
  return core.transports.has(transport) ? "adopted" : "unavailable";
}

const INSERT = sql(
  "channel_adopt",
  `insert into channels (account_id, id, transport, status, reason, name, phone, username, url, credentials)
   values ($1, $2, $3, 'disabled', 'unauthorized', $4, $5, $6, $7, $8)
   on conflict (id) do nothing returning ${CHANNEL_COLUMNS}`,
);

/**
 * Creates a channel under the id that it has in another service, so that clients go on using that id. It is not linked: its
 * status is `disabled` / `unauthorized`, no session opens, and its `url` is the page on which a person links it, until
 * they do. Idempotent. Throws QUOTA_EXCEEDED.
 */
export async function adoptChannel(
  core: Base,
  scope: Scope,
  channel: AdoptedChannel,
): Promise<AdoptionOutcome> {
  const outcome = await adoptionOf(core, scope, channel);
  const transport = core.transports.get(channel.transport);
  if (outcome !== "adopted" || transport === undefined) return outcome;
  const { accountId } = scope;
  const { id, name, phone, username } = channel;
  const sealedCredentials = core.seal.seal("{}", credentialsContext(id));
  const url = pageUrl(core, transport, { id, sealedCredentials });
  const isNew = await core.db.tx(async (tx) => {
    await lockAccount(tx, scope);
    const values = [accountId, id, channel.transport, name, phone, username, url, sealedCredentials];
    const [row] = await tx.query<ChannelRow>(INSERT, values);
    if (row === undefined) return false;
    await checkChannels(core, tx, scope);
    const details = { transport: channel.transport, adopted: true };
    await audit(tx, { accountId, action: "channel.create", subject: id, details });
    const status = { status: "disabled", reason: "unauthorized" } as const;
    await publish(tx, [
      { kind: "channel", change: "created", channel: channelFact(core, channelOf(row), status) },
    ]);
    return true;
  });
  // Another import has created it in the meantime.
  if (!isNew) return adoptionOf(core, scope, channel);
  notifyReceivers(core, [accountId]);
  return "adopted";
}

const LINKED = sql(
  "channels_ever_linked",
  "select id from channels where account_id = $1 and active_since is not null",
);

/** Channels of the account that were linked at some time, so that messages may have come from their messengers. */
export async function everLinked(
  { db }: Pick<Base, "db">,
  { accountId }: Scope,
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(LINKED, [accountId]);
  return new Set(rows.map(({ id }) => id));
}
