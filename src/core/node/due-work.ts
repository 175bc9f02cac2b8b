import { type Queryable, sql } from "../../database/database.ts";
import { HAS_SESSION_REQUESTS } from "../channel/session-requests.ts";
import { HAS_LETTERS_TO_REPLAY } from "../dead-letter/replay.ts";
import { countClaimed, HAS_DUE_CURSORS, HAS_LEFT_CURSORS } from "../delivery/cursor/cursors.ts";
import { HAS_REPLAYS } from "../delivery/request/replay.ts";
import { HAS_EXPORTS } from "../export/queue.ts";
import { LATEST_DUE_FILE } from "../file/files.ts";
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
  /** A receiver waits for a node. Together with `claimedCursors`, this is what `webhooks` consists of. */
  readonly dueCursors: boolean;
  /** Messages wait for the search index. */
  readonly search: boolean;
  /** Dead nodes have left cursors. */
  readonly leftCursors: boolean;
  readonly newTimeline: boolean;
  /** The node that runs the upkeep; null if there is none, or its lease is over. */
  readonly leader: string | null;
}

const FIND = sql(
  "due_work_find",
  // The nodes that share the channels may have changed.
  `select true as channels, ${HAS_UNOWNED_CHANNELS} is true as "unownedChannels", ${SESSION_NODE_COUNT} as "sessionNodes",
     ${HAS_JOBS} is true as sends,
     w.due or w.claimed > 0 as webhooks, w.due as "dueCursors", w.claimed as "claimedCursors",
     ${LATEST_DUE_FILE} is not null as files, ${LATEST_DUE_FILE} as "latestDueFile",
     ${HAS_LETTERS_TO_REPLAY} is true as "deadLetters", ${HAS_REPLAYS} is true as replays, ${HAS_EXPORTS} is true as exports,
     ${HAS_SESSION_REQUESTS} is true as "sessionRequests", ${HAS_PHONE_CHECKS} is true as phones,
     ${HAS_QUEUED} is true as search, ${HAS_LEFT_CURSORS} is true as "leftCursors",
     ${HAS_NEW_TIMELINE} is true as "newTimeline", ${LIVE_LEADER} as leader
   from (select ${HAS_DUE_CURSORS} is true as due, ${countClaimed("$1")} as claimed) w`,
);

/** Finds what workers would otherwise look for in a statement each. */
export async function findDueWork(db: Queryable, nodeId: string): Promise<DueWork> {
  const [row] = await db.query<DueWork>(FIND, [nodeId]);
  if (row === undefined) throw new Error("A select of one row returned none");
  return row;
}
