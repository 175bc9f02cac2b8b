import { type Queryable, sql } from "../../../database/database.ts";
import type { Base } from "../../base.ts";
import { type Directory, DirectoryAway, type HasDirectory } from "../../directory/directory.ts";
import { claimLink, releaseLinks, type WantedLink } from "../../directory/links.ts";
import type { OwnedChannelKey } from "../../scope.ts";

/**
 * Whether a channel may be linked to a messenger account, over all cells. `claim`: the new claim, to be stored with the
 * link or given up (`giveUpClaim`); null: it has one already, or there is no directory. `held`: another channel has the
 * account. `waits`: the directory cannot be asked now, or has the channel in another cell.
 */
export type Permission =
  | { readonly kind: "granted"; readonly claim: string | null }
  | { readonly kind: "held" }
  | { readonly kind: "waits" };

const GRANTED: Permission = { kind: "granted", claim: null };

// A channel that worked before there was a directory goes on; the upkeep claims its account.
const LOOK = sql(
  "channel_claim_look",
  `select c.transport, a.moves, coalesce(c.messenger_id <> $3, false) as "isForeign",
     c.messenger_id = $3 and (c.link_claim is not null or c.status = 'active') as "hasIt"
   from channels c join accounts a on a.id = any(array[c.account_id])
   where c.account_id = $1 and c.id = $2 and c.deleted_at is null`,
);
interface Look {
  readonly transport: string;
  readonly moves: number;
  /** The channel belongs to another messenger account, and will not be linked. */
  readonly isForeign: boolean;
  readonly hasIt: boolean | null;
}

/** Claims a messenger account for a channel in the directory, if it has to. Without a directory it costs nothing. */
export async function permitLink(
  core: Base & HasDirectory,
  { accountId, channelId }: Pick<OwnedChannelKey, "accountId" | "channelId">,
  messengerId: string,
): Promise<Permission> {
  const { directory, db } = core;
  if (directory === null) return GRANTED;
  const [row] = await db.query<Look>(LOOK, [accountId, channelId, messengerId]);
  if (row === undefined || row.isForeign || row.hasIt === true) return GRANTED;
  const wanted = { transport: row.transport, messengerId, accountId, moves: row.moves, channelId };
  try {
    const claim = await claimFor(core, directory, wanted);
    return claim.kind === "moved" ? { kind: "waits" } : claim;
  } catch (error) {
    if (!(error instanceof DirectoryAway)) throw error;
    return { kind: "waits" };
  }
}

/**
 * `permitLink` for a channel that certainly has no claim. `moved`: the directory has its account in another cell. Throws
 * `DirectoryAway`.
 */
export async function claimFor(
  core: Pick<Base, "db" | "log">,
  directory: Directory,
  wanted: WantedLink,
): Promise<
  | { readonly kind: "granted"; readonly claim: string }
  | { readonly kind: "held" }
  | { readonly kind: "moved" }
> {
  for (let isFirst = true; ; isFirst = false) {
    const claim = await claimLink(directory, wanted);
    if (claim.kind === "claimed") return { kind: "granted", claim: claim.claim };
    if (claim.kind === "moved") return { kind: "moved" };
    const { by } = claim;
    // A channel of this cell has given it up a moment ago.
    if (isFirst && by.cell === directory.cell && !(await isClaimed(core.db, by.accountId, by.claim))) {
      await releaseLinks(directory, [by.claim]);
      continue;
    }
    core.log.info(
      { accountId: wanted.accountId, channelId: wanted.channelId, linked: by },
      "a channel is not linked: another one has its messenger account",
    );
    return { kind: "held" };
  }
}

const IS_RELEASED = sql(
  "channel_claim_released",
  "select 1 from released_links where account_id = $1 and claim = $2",
);

async function isClaimed(db: Queryable, accountId: number, claim: string): Promise<boolean> {
  return (await db.query(IS_RELEASED, [accountId, claim])).length === 0;
}

const GIVE_UP = sql(
  "channel_claim_give_up",
  "insert into released_links (account_id, claim) values ($1, $2) on conflict do nothing",
);

/** A claim that was not stored with a link. */
export async function giveUpClaim(db: Queryable, accountId: number, claim: string): Promise<void> {
  await db.query(GIVE_UP, [accountId, claim]);
}

/**
 * Resolves with whether links can be claimed now; false: the directory cannot be asked. For channels whose messenger
 * account is not known before a person links it.
 */
export async function canClaim({ directory }: HasDirectory): Promise<boolean> {
  if (directory === null) return true;
  return directory
    .ask((db) => db.query("select 1"))
    .then(
      () => true,
      (error: unknown) => {
        if (error instanceof DirectoryAway) return false;
        throw error;
      },
    );
}
