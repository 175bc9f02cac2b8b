import { sql } from "../../../database/database.ts";
import type { Base } from "../../base.ts";
import type { HasChannelLog } from "../../channel-log/channel-log.ts";
import type { Directory } from "../../directory/directory.ts";
import { knownLinks, type LinkPosition, listLinks, releaseLinks } from "../../directory/links.ts";
import type { HasChannels } from "../channel.ts";
import { claimFor } from "./directory-claim.ts";
import { applyTrigger } from "./link-state.ts";

const RELEASED_TOGETHER = 500;
const GIVEN_UP = sql(
  "released_links_list",
  `select account_id as "accountId", claim from released_links where at <= statement_timestamp() order by at limit ${RELEASED_TOGETHER}`,
);
const FORGET = sql(
  "released_links_forget",
  `delete from released_links l using json_to_recordset($1::json) as r(account bigint, claim uuid)
   where l.account_id = any(array[r.account]) and l.claim = r.claim`,
);

/** Ends claims in the directory that channels have given up. Returns how many. Throws `DirectoryAway`. Idempotent. */
export async function releaseGivenUp({ db }: Pick<Base, "db">, directory: Directory): Promise<number> {
  const rows = await db.query<{ accountId: number; claim: string }>(GIVEN_UP, []);
  if (rows.length === 0) return 0;
  await releaseLinks(
    directory,
    rows.map(({ claim }) => claim),
  );
  const done = rows.map(({ accountId: account, claim }) => ({ account, claim }));
  await db.tx(async (tx) => {
    // An account that moves takes the rows with it; then the target repeats this.
    await tx.query("set local trunkline.account_move = 'upkeep'");
    await tx.query(FORGET, [JSON.stringify(done)]);
  });
  return rows.length;
}

/** Expression: another cell has the account, or it is about to. */
const IS_AWAY = (account: string): string =>
  `exists (select from account_moves m where m.account_id = ${account} and m.side = 'source' and m.state <> 'copying')`;

const PAGE_SIZE = 200;
const PAGE = sql(
  "channels_compare_links",
  `select c.account_id as "accountId", c.id as "channelId", c.epoch, c.transport, c.messenger_id as "messengerId",
     c.link_claim as claim, c.status, a.moves,
     c.messenger_id is null or c.status = 'disabled' or ${IS_AWAY("c.account_id")} as "isLeftOut"
   from channels c join accounts a on a.id = any(array[c.account_id])
   where c.deleted_at is null and c.id > $1 order by c.id limit ${PAGE_SIZE}`,
);
interface Compared {
  readonly accountId: number;
  readonly channelId: string;
  readonly epoch: number;
  readonly transport: string;
  readonly messengerId: string;
  readonly claim: string | null;
  readonly status: string;
  readonly moves: number;
  readonly isLeftOut: boolean;
}
const LOSE = sql(
  "channels_lose_claims",
  `update channels c set link_claim = null from json_to_recordset($1::json) as r(account bigint, id uuid, claim uuid)
   where c.account_id = any(array[r.account]) and c.id = r.id and c.link_claim = r.claim`,
);

type Parts = Base & HasChannels & HasChannelLog;

/**
 * Compares some channels of this cell with the directory. One that works without a claim, because it is older than the
 * directory or one of both was restored, gets one; if another channel has its messenger account by now, it is disconnected
 * (`openelsewhere`). Returns where to continue; null: all are compared. Throws `DirectoryAway`.
 */
export async function compareChannels(
  core: Parts,
  directory: Directory,
  after: string,
): Promise<{ readonly next: string | null; readonly changed: number }> {
  const page = await core.db.query<Compared>(PAGE, [after]);
  const rows = page.filter(({ isLeftOut }) => !isLeftOut);
  const claims = rows.flatMap(({ claim }) => claim ?? []);
  const known = claims.length === 0 ? new Set() : await knownLinks(directory, claims);
  const lost = rows.filter(({ claim }) => claim !== null && !known.has(claim));
  if (lost.length > 0)
    await core.db.query(LOSE, [
      JSON.stringify(lost.map(({ accountId: account, channelId: id, claim }) => ({ account, id, claim }))),
    ]);
  // Any other is about to be opened, and claims its account itself.
  const unclaimed = rows.filter(
    (row) => row.status === "active" && (row.claim === null || lost.includes(row)),
  );
  for (const row of unclaimed) await claimForWorking(core, directory, row);
  const last = page.length < PAGE_SIZE ? undefined : page.at(-1);
  return { next: last?.channelId ?? null, changed: unclaimed.length };
}

const STORE = sql(
  "channel_store_claim",
  `update channels set link_claim = $4 where account_id = $1 and id = $2 and messenger_id = $3
     and deleted_at is null and status <> 'disabled' and link_claim is null returning 1`,
);
const ELSEWHERE =
  "another channel of this installation is linked to the same messenger account; it was linked later, or this cell was restored from a backup";

async function claimForWorking(core: Parts, directory: Directory, row: Compared): Promise<void> {
  const { accountId, channelId, messengerId } = row;
  const permission = await claimFor(core, directory, row);
  if (permission.kind === "moved") return;
  if (permission.kind === "held") {
    core.log.warn({ accountId, channelId }, `the channel is disconnected: ${ELSEWHERE}`);
    const key = { accountId, channelId, epoch: row.epoch };
    await applyTrigger(core, key, { kind: "ended", reason: "openelsewhere" }, { detail: ELSEWHERE });
    return;
  }
  const stored = await core.db.query(STORE, [accountId, channelId, messengerId, permission.claim]);
  if (stored.length === 0) await releaseLinks(directory, [permission.claim]);
}

const LISTED_TOGETHER = 500;
const JUDGE = sql(
  "channels_judge_links",
  `select r.claim, r.account as "accountId", r.channel as "channelId",
     case when c.link_claim = r.claim
         or (select true from released_links l where l.account_id = any(array[r.account]) and l.claim = r.claim limit 1)
         or (select true from account_moves m where m.account_id = any(array[r.account]) and m.state <> 'arrived' limit 1) then 'right'
       when c.messenger_id = r.messenger and c.deleted_at is null and c.status <> 'disabled' then 'unknown'
       else 'stale' end as verdict
   from json_to_recordset($1::json) as r(account bigint, channel uuid, messenger text, claim uuid)
   left join channels c on c.account_id = any(array[r.account]) and c.id = r.channel`,
);
const ADOPT = sql(
  "channel_adopt_claim",
  "update channels set link_claim = $3 where account_id = $1 and id = $2 and deleted_at is null and status <> 'disabled'",
);

/**
 * Compares some links that the directory has of this cell with its channels: a node may have died between a claim and its
 * link, or a backup may lack the channel. Returns where to continue; null: all are compared. Throws `DirectoryAway`.
 */
export async function compareListed(
  { db, log }: Pick<Base, "db" | "log">,
  directory: Directory,
  { after, minAgeMs }: { readonly after: LinkPosition; readonly minAgeMs: number },
): Promise<{ readonly next: LinkPosition | null; readonly changed: number }> {
  const listed = await listLinks(directory, { after, limit: LISTED_TOGETHER, minAgeMs });
  if (listed.length === 0) return { next: null, changed: 0 };
  const asked = listed.map(({ accountId: account, channelId: channel, messengerId: messenger, claim }) => ({
    ...{ account, channel, messenger, claim },
  }));
  const judged = await db.query<Judged>(JUDGE, [JSON.stringify(asked)]);
  for (const { accountId, channelId, claim } of judged.filter(({ verdict }) => verdict === "unknown"))
    await db.query(ADOPT, [accountId, channelId, claim]);
  const stale = judged.filter(({ verdict }) => verdict === "stale").map(({ claim }) => claim);
  if (stale.length > 0) {
    await releaseLinks(directory, stale);
    log.info({ links: stale.length }, "links without a channel were removed from the directory");
  }
  const changed = judged.filter(({ verdict }) => verdict !== "right").length;
  return { next: listed.length < LISTED_TOGETHER ? null : (listed.at(-1) ?? null), changed };
}

interface Judged {
  readonly claim: string;
  readonly accountId: number;
  readonly channelId: string;
  readonly verdict: "right" | "unknown" | "stale";
}
