import { type Queryable, sql } from "../../database/database.ts";
import { HAS_SESSION_REQUESTS } from "../channel/session-requests.ts";
import { HAS_LETTERS_TO_REPLAY } from "../dead-letter/replay.ts";
import { LIVE_NODES } from "../dead-nodes.ts";
import {
  countClaimed,
  HAS_DUE_CURSORS,
  HAS_DUE_RETRIES,
  HAS_LEFT_CURSORS,
} from "../delivery/cursor/cursors.ts";
import { HAS_REPLAYS } from "../delivery/request/replay.ts";
import { HAS_EXPORTS } from "../export/queue.ts";
import { LATEST_DUE_FILE } from "../file/files.ts";
import { HAS_UNSENT_PROPOSALS } from "../inbox/proposals.ts";
import { HAS_ENDED_SNOOZES } from "../inbox/work.ts";
import { HAS_JOBS } from "../message/orphaned-jobs.ts";
import { HAS_QUEUED } from "../message/search-index.ts";
import { HAS_NEW_TIMELINE } from "../message/timeline.ts";
import { type ChannelShares, HAS_UNOWNED_CHANNELS, SESSION_NODE_COUNT } from "../ownership/ownership.ts";
import { HAS_PHONE_CHECKS } from "../phone/lookups.ts";
import type { WatchedTopic } from "../signals.ts";
import { LIVE_LEADER } from "./upkeep-leader.ts";

/** For which workers a node has to look into the tables now. True may be a false alarm, false never is. */
export interface DueWork extends Readonly<Record<WatchedTopic, boolean>>, ChannelShares {
  /** When the latest of the due files became due, in seconds since 1970. */
  readonly latestDueFile: number | null;
  /** How many receivers the node works on, or should: it may not know of all claims in its name. */
  readonly claimedCursors: number;
  /**
   * A receiver that failed has rested long enough. Together with `claimedCursors`, this is what `webhooks` consists of.
   */
  readonly dueRetries: boolean;
  /** The number of the turn in which the node looked at all receivers now; null: it did not. */
  readonly turn: number | null;
  /** The snooze of a chat is over. */
  readonly snoozes: boolean;
  /** Approved proposals are not sent yet. */
  readonly proposals: boolean;
  /** Messages wait for the search index. */
  readonly search: boolean;
  /** Dead nodes have left cursors. */
  readonly leftCursors: boolean;
  readonly newTimeline: boolean;
  /** The node that runs the upkeep; null if there is none, or its lease is over. */
  readonly leader: string | null;
}

const TURN_SECONDS = 10;
const DELIVERY_NODES = `${LIVE_NODES} and 'delivery' = any(n.roles)`;
// The nodes take turns in looking at all receivers, so that each event whose notification was lost is found, however busy
// one of them is.
const TURN = `(select t.turn from (select floor(extract(epoch from now()) / ${TURN_SECONDS})::int as turn) t
  where t.turn > $2 and $1 = (
    select n.id from (${DELIVERY_NODES}) n order by n.id limit 1
    offset t.turn % greatest(1, (select count(*) from (${DELIVERY_NODES}) n))))`;

const FIND = sql(
  "due_work_find",
  // The nodes that share the channels may have changed.
  `select true as channels, ${HAS_UNOWNED_CHANNELS} is true as "unownedChannels", ${SESSION_NODE_COUNT} as "sessionNodes",
     ${HAS_JOBS} is true as sends,
     w.turn, case when w.turn is not null then ${HAS_DUE_CURSORS} end is true as "allWebhooks",
     w.retries or w.claimed > 0 as webhooks, w.retries as "dueRetries", w.claimed as "claimedCursors",
     ${LATEST_DUE_FILE} is not null as files, ${LATEST_DUE_FILE} as "latestDueFile",
     ${HAS_LETTERS_TO_REPLAY} is true as "deadLetters", ${HAS_REPLAYS} is true as replays, ${HAS_EXPORTS} is true as exports,
     ${HAS_SESSION_REQUESTS} is true as "sessionRequests", ${HAS_PHONE_CHECKS} is true as phones,
     ${HAS_QUEUED} is true as search, ${HAS_ENDED_SNOOZES} is true as snoozes,
     ${HAS_UNSENT_PROPOSALS} is true as proposals, ${HAS_LEFT_CURSORS} is true as "leftCursors",
     ${HAS_NEW_TIMELINE} is true as "newTimeline", ${LIVE_LEADER} as leader
   from (select ${HAS_DUE_RETRIES} is true as retries, ${countClaimed("$1")} as claimed, ${TURN} as turn offset 0) w`,
);

/**
 * Finds what workers would otherwise look for in a statement each. Its cost does not grow with the installation, except in
 * the node's turns (every ten seconds one of the nodes has its turn): then all receivers are looked at, once if `lastTurn`
 * is the last one that was returned.
 */
export async function findDueWork(db: Queryable, nodeId: string, lastTurn = 0): Promise<DueWork> {
  const [row] = await db.query<DueWork>(FIND, [nodeId, lastTurn]);
  if (row === undefined) throw new Error("A select of one row returned none");
  return row;
}
