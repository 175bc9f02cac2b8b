import type { Queryable } from "../../database/database.ts";
import { MOVE_COMMAND_LOCK } from "../../database/locks.ts";
import type { SourceState } from "./source.ts";

/** An account that is leaving this cell. */
export interface UnfinishedMove {
  readonly accountId: number;
  readonly state: Exclude<SourceState, "left">;
  readonly address: string;
  /** When it reached the state. */
  readonly since: Date;
  /** A command is moving it at this moment. */
  readonly isAtWork: boolean;
}

export interface MovesOverview {
  /** Those without a command first; at most 20. */
  readonly unfinished: readonly UnfinishedMove[];
  /** How many accounts have left this cell, by the address to which their requests are passed on; at most 20 addresses. */
  readonly left: readonly { readonly address: string; readonly accounts: number }[];
}

// A hold that is over has no effect any more.
const UNFINISHED = `select * from (
    select account_id as "accountId", address, changed_at as since,
      case when state = 'holding' and hold_until < clock_timestamp() then 'copying' else state end as state,
      exists (
        select from pg_locks l where l.locktype = 'advisory' and l.granted and l.classid = ${MOVE_COMMAND_LOCK}
          and l.objid = account_id::oid and l.objsubid = 2
          and l.database = (select oid from pg_database where datname = current_database())) as "isAtWork"
    from account_moves where side = 'source' and state <> 'left') m
  order by "isAtWork", "accountId" limit 20`;
const LEFT = `select address, count(*)::int as accounts from account_moves
  where side = 'source' and state = 'left' group by address order by 2 desc, 1 limit 20`;

/** The accounts that leave, or have left, this cell. It counts all of them. */
export async function readMoves(db: Queryable): Promise<MovesOverview> {
  return { unfinished: await db.query(UNFINISHED), left: await db.query(LEFT) };
}
