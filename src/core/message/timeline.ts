import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { KnownPrimary, PrimaryMemory } from "../primary-memory.ts";

// The commits of the lost primary are all there if the node that asks saw its synchronous standby, and finds its last
// renewal. Otherwise the latest marks may be missing, and any job that was waiting may have been sent at any time since
// it was accepted. Epoch 0 belongs to no owner: it marks a send that some owner may have started. A node whose memory
// contradicts the one that adopted the timeline marks what was waiting then. Raw statement, because it reads all jobs,
// once per promotion.
const ADOPT = `with known as (
     select * from json_to_record($1::json) as r(
       is_known boolean, timeline text, node_id uuid, renewals bigint, is_synchronous boolean)
   ), before as materialized (
     select timeline, since, current_timeline() as current, timeline is distinct from current_timeline() as is_new
     from database_timeline for update
   ), judged as materialized (
     select b.*, case
         when b.is_new and k.timeline is not distinct from b.timeline and e.has_all then '-infinity'::timestamptz
         when b.is_new then 'infinity'
         when k.is_known and k.timeline is distinct from b.current and not e.has_all then b.since
         else '-infinity' end as marked_until
     from before b, known k, lateral (
       select k.is_known and k.is_synchronous
         and exists (select 1 from nodes n where n.id = k.node_id and n.renewals >= k.renewals) as has_all) e
   ), changed as (
     update database_timeline t set timeline = j.current, since = now() from judged j where j.is_new
   ), marked as (
     update send_jobs j set started_epoch = 0, unsure_since = least(j.unsure_since, j.created_at)
     from (select * from judged where marked_until > '-infinity') a
     where j.kind = 'send' and j.started_epoch is null and j.created_at <= a.marked_until
     returning 1
   )
   select j.current as timeline, j.is_new, j.marked_until = '-infinity' as is_complete,
     (select count(*) from marked)::int as marked from judged j`;

/** Expression: whether `noticeTimeline` has something to store. */
export const HAS_NEW_TIMELINE =
  "(select timeline is distinct from current_timeline() from database_timeline)";

interface Adopted {
  readonly timeline: string | null;
  readonly is_new: boolean;
  readonly is_complete: boolean;
  readonly marked: number;
}

/**
 * Detects that a standby was promoted or a backup restored. Waiting sends are then marked as started, unless this node
 * remembers that the lost primary had a synchronous standby and nothing contradicts it: for messengers that do not
 * recognise a repetition they end as unknown, the others are sent. Idempotent; any node may call it at any time. Until
 * it has run with a node's memory, `startJobs` starts nothing on that node.
 */
export async function noticeTimeline(
  { db, log }: Pick<Base, "db" | "log">,
  memory: PrimaryMemory,
): Promise<void> {
  const [adopted] = await db.query<Adopted>(ADOPT, [JSON.stringify(knownRow(memory.known))]);
  if (adopted === undefined) return;
  const { timeline, marked, is_new: isNew, is_complete: isComplete } = adopted;
  memory.settle(timeline);
  if (isNew || marked > 0)
    log.warn(
      { timeline, isComplete, sends: marked },
      "the database is on another timeline: a standby was promoted, or a backup restored",
    );
}

function knownRow(known: KnownPrimary | null): object {
  if (known === null) return { is_known: false };
  const { timeline, nodeId, renewals, isSynchronous } = known;
  return { is_known: true, timeline, node_id: nodeId, renewals, is_synchronous: isSynchronous };
}

// No server has this timeline.
const SET_RESTORED = "timeline = 'restored', ids_timeline = 'restored'";
const MARK_RESTORED = sql("database_mark_restored", `update database_timeline set ${SET_RESTORED}`);

/**
 * After an import, in its transaction: what was waiting in the export may have been sent since, and its ids may have been
 * used. The next start then does the same as after a promotion.
 */
export async function markRestored(tx: Queryable): Promise<void> {
  await tx.query(MARK_RESTORED);
}

const LEARN_DATABASE = sql(
  "database_learn",
  "update database_timeline set database_id = current_database_id() where database_id is null and current_database_id() is not null",
);
const NOTICE_RESTORE = sql(
  "database_notice_restore",
  `update database_timeline set database_id = current_database_id(), ${SET_RESTORED}
   where database_id <> current_database_id() returning is_only`,
);

/** Detects that a dump was restored to another database, as `markRestored`. Call it at the start, before anything is sent. */
export async function noticeRestore({ db }: Pick<Base, "db">): Promise<void> {
  await db.tx(async (tx) => {
    await tx.query(LEARN_DATABASE);
    // This connection has compared the timeline already.
    if ((await tx.query(NOTICE_RESTORE)).length > 0) await tx.query("select skip_lost_ids()");
  });
}
