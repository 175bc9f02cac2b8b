import type { Directory } from "./directory.ts";

/** A messenger account, and the channel that wants it. */
export interface WantedLink {
  readonly transport: string;
  readonly messengerId: string;
  readonly accountId: number;
  /** Of the account, as this cell knows them. */
  readonly moves: number;
  readonly channelId: string;
}

/** The id of the claim; or who has the messenger account. */
export type Claim =
  | { readonly kind: "claimed"; readonly claim: string }
  | { readonly kind: "held"; readonly by: LinkHolder }
  /** The directory has the account itself in another cell. */
  | { readonly kind: "moved"; readonly cell: string };

export interface LinkHolder {
  readonly cell: string;
  readonly accountId: number;
  readonly channelId: string;
  readonly claim: string;
}

const CLAIM = `select c.claimed, c.holder_cell as cell, c.holder_account as "accountId", c.holder_channel as "channelId", c.holder_claim as claim
   from claim_link($1, $2, $3, $4, $5, $6) c`;

/**
 * Claims a messenger account for a channel. Repeating it gives the channel a new claim and ends the one before; of several
 * channels, in any cells, one gets it. Throws `DirectoryAway`; then the claim may exist, and a comparison removes it.
 */
export async function claimLink(directory: Directory, wanted: WantedLink): Promise<Claim> {
  const { transport, messengerId, accountId, moves, channelId } = wanted;
  const values = [transport, messengerId, accountId, directory.cell, moves, channelId];
  const [row] = await directory.ask((db) => db.query<LinkHolder & { claimed: string | null }>(CLAIM, values));
  if (row === undefined) throw new Error("The directory returned nothing for a claim");
  const { claimed, ...by } = row;
  if (claimed !== null) return { kind: "claimed", claim: claimed };
  return by.claim === null ? { kind: "moved", cell: by.cell } : { kind: "held", by };
}

const RELEASE = "delete from links where claim = any($1::uuid[])";

/** Claims that do not exist any more are ignored. Throws `DirectoryAway`. */
export async function releaseLinks(directory: Directory, claims: readonly string[]): Promise<void> {
  await directory.ask((db) => db.query(RELEASE, [claims]));
}

const KNOWN = "select claim from links where claim = any($1::uuid[])";

/** Those of the claims that exist. Throws `DirectoryAway`. */
export async function knownLinks(
  directory: Directory,
  claims: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await directory.ask((db) => db.query<{ claim: string }>(KNOWN, [claims]));
  return new Set(rows.map(({ claim }) => claim));
}

/** A link of this cell, as the directory has it. */
export interface ListedLink {
  readonly accountId: number;
  readonly claim: string;
  readonly channelId: string;
  readonly messengerId: string;
}

const LIST = `select l.account_id as "accountId", l.claim, l.channel_id as "channelId", l.messenger_id as "messengerId"
   from accounts a join links l on l.account_id = a.id
   where a.cell = $1 and a.id >= $2 and (l.account_id, l.claim) > ($2, $3::uuid)
     and l.claimed_at < now() - $5 * interval '1 millisecond'
   order by l.account_id, l.claim limit $4`;

export type LinkPosition = Pick<ListedLink, "accountId" | "claim">;

/**
 * The links of this cell behind `after`, in order, without newer ones than `minAgeMs`: their node may still be about to
 * store them. Throws `DirectoryAway`.
 */
export function listLinks(
  directory: Directory,
  {
    after,
    limit,
    minAgeMs,
  }: { readonly after: LinkPosition; readonly limit: number; readonly minAgeMs: number },
): Promise<ListedLink[]> {
  return directory.ask((db) =>
    db.query<ListedLink>(LIST, [directory.cell, after.accountId, after.claim, limit, minAgeMs]),
  );
}
