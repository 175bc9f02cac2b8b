import { sql } from "../../../database/database.ts";
import { derivedId } from "../../../platform/ids.ts";
import { createSerialQueue } from "../../../platform/queue/serial-queue.ts";
import type { Base } from "../../base.ts";
import { isOwnedBy, type OwnedChannelKey } from "../../scope.ts";
import type { Vault, VaultEntry } from "../../transport/connector.ts";
import { vaultContext } from "./credentials.ts";

const READ = sql(
  "vault_read",
  `select id, value from channel_vault
   where account_id = $1 and channel_id = $2 and family = $3 and id = any($4)`,
);
const READ_ALL = sql(
  "vault_read_all",
  "select id, value from channel_vault where account_id = $1 and channel_id = $2 and family = $3",
);
/**
 * Within a statement with `owned`: the channel, unless a later write was executed before. A statement sent over a
 * connection that broke may be executed long after the client has retried it; a session key would then be used twice.
 */
const fence = (number: string): string => `
   fenced as (
     insert into channel_vault_writes as w (account_id, channel_id, epoch, number)
     select account_id, id, $3, ${number} from owned
     on conflict (account_id, channel_id) do update set epoch = excluded.epoch, number = excluded.number
     where (w.epoch, w.number) <= (excluded.epoch, excluded.number)
     returning account_id, channel_id
   )`;
/**
 * Only the owner writes: a node that lost the channel must not overwrite its successor's data. A deleted channel
 * needs its keys until it is logged out at its messenger.
 */
const WRITE = sql(
  "vault_write",
  `with owned as (
     select account_id, id from channels
     where account_id = $1 and id = $2 and epoch = $3 and ${isOwnedBy("$8")}
       and (deleted_at is null or leaving_until is not null)
   ), ${fence("$7")}, entries as materialized (
     select * from unnest($4::text[], $5::text[], $6::bytea[]) as e (family, id, value)
   ), removed as (
     delete from channel_vault v using fenced t, entries e
     where v.account_id = any(array[t.account_id]) and v.channel_id = t.channel_id and v.family = e.family
       and v.id = e.id and e.value is null
   ), written as (
     insert into channel_vault (account_id, channel_id, family, id, value)
     select t.account_id, t.channel_id, e.family, e.id, e.value from fenced t, entries e where e.value is not null
     on conflict (account_id, channel_id, family, id) do update set value = excluded.value
   )
   select 1 from fenced`,
);
const CLEAR = sql(
  "vault_clear",
  `with owned as (
     select account_id, id from channels where account_id = $1 and id = $2 and epoch = $3 and ${isOwnedBy("$5")}
   ), ${fence("$4")}, removed as (
     delete from channel_vault v using fenced t
     where v.account_id = any(array[t.account_id]) and v.channel_id = t.channel_id
   )
   select 1 from fenced`,
);

/** Grows with each write of this process; by the clock, so that it also grows from one process to the next. */
export class VaultNumbers {
  #last = 0;

  next(): number {
    this.#last = Math.max(this.#last + 1, Date.now() * 1_000);
    return this.#last;
  }
}

export interface HasVaultNumbers {
  readonly vaultNumbers: VaultNumbers;
}

/**
 * The vault of one channel, sealed entry by entry. Writes are executed in the order of the calls, also if PostgreSQL
 * executes an abandoned one late.
 */
export function channelVault(
  core: Base & HasVaultNumbers,
  { accountId, channelId, epoch, owner }: OwnedChannelKey,
): Vault {
  const inOrder = createSerialQueue();
  const opened = (family: string, rows: readonly VaultRow[]): Map<string, Uint8Array> =>
    new Map(rows.map(({ id, value }) => [id, core.seal.open(value, vaultContext(channelId, family, id))]));
  return {
    read: async (family, ids) => {
      const stored = ids.map(storedId);
      const found = opened(
        family,
        await core.db.query<VaultRow>(READ, [accountId, channelId, family, stored]),
      );
      return new Map(ids.flatMap((id, place) => entryOf(id, found.get(stored[place] ?? ""))));
    },
    readAll: async (family) =>
      opened(family, await core.db.query<VaultRow>(READ_ALL, [accountId, channelId, family])),
    write: (entries) =>
      inOrder(async () => {
        const last = lastOfEach(entries.map((entry) => ({ ...entry, id: storedId(entry.id) })));
        const values = last.map(({ family, id, value }) =>
          value === null ? null : core.seal.seal(value, vaultContext(channelId, family, id)),
        );
        const columns = [last.map(({ family }) => family), last.map(({ id }) => id), values];
        refuseUnowned(
          await core.db.query(WRITE, [
            accountId,
            channelId,
            epoch,
            ...columns,
            core.vaultNumbers.next(),
            owner ?? null,
          ]),
        );
      }),
    clear: () =>
      inOrder(async () =>
        refuseUnowned(
          await core.db.query(CLEAR, [accountId, channelId, epoch, core.vaultNumbers.next(), owner ?? null]),
        ),
      ),
  };
}

const LONGEST_ID = 500;

/**
 * Some ids are chosen by a customer's phone. If a column or an index would reject an id, which a session would
 * mistake for an unavailable store and retry forever, the entry is stored under another name, and `readAll` returns
 * it.
 */
function storedId(id: string): string {
  const fits = id.length <= LONGEST_ID && !id.includes("\0") && id.isWellFormed();
  return fits ? id : derivedId("vault", JSON.stringify(id));
}

function entryOf(id: string, value: Uint8Array | undefined): [string, Uint8Array][] {
  return value === undefined ? [] : [[id, value]];
}

interface VaultRow {
  readonly id: string;
  readonly value: Buffer;
}

function lastOfEach(entries: readonly VaultEntry[]): VaultEntry[] {
  return [...new Map(entries.map((entry) => [`${entry.family} ${entry.id}`, entry])).values()];
}

function refuseUnowned(rows: readonly unknown[]): void {
  if (rows.length === 0) throw new Error("The channel belongs to another node now, or was deleted");
}

const FORGET = sql(
  "vault_forget",
  `with gone as (
     update channels set owner = null, leaving_until = null
     where account_id = $1 and id = $2 and epoch = $3 and owner = $4 and deleted_at is not null
     returning account_id, id
   ), state as (
     delete from channel_state s using gone g where s.account_id = any(array[g.account_id]) and s.channel_id = g.id
   ), writes as (
     delete from channel_vault_writes w using gone g
     where w.account_id = any(array[g.account_id]) and w.channel_id = g.id
   )
   delete from channel_vault v using gone g where v.account_id = any(array[g.account_id]) and v.channel_id = g.id`,
);

/**
 * Releases a deleted channel for good, with the keys of its sessions. `owner` is the node that owns it; others have
 * no effect.
 */
export async function releaseDeletedChannel(core: Base, key: OwnedChannelKey, owner: string): Promise<void> {
  await core.db.query(FORGET, [key.accountId, key.channelId, key.epoch, owner]);
}
