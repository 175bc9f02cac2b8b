import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";

// Without a synchronous standby the latest marks may be missing, so any waiting job may have been sent. A chat whose
// first job rests beyond now has sent nothing. Epoch 0 belongs to no owner: it marks a send that some owner may have
// started. Raw statements, because they read all jobs, once per promotion.
const ADOPT = `with changed as (
     update database_timeline t set timeline = current_timeline(), since = now()
     where t.timeline is distinct from current_timeline() returning t.timeline, t.is_synchronous
   ), marked as (
     update send_jobs j set started_epoch = 0, unsure_since = now()
     where exists (select 1 from changed where not is_synchronous) and j.kind = 'send' and j.started_epoch is null
       and not exists (
         select 1 from send_jobs h where h.account_id = j.account_id and h.channel_id = j.channel_id and h.chat = j.chat
           and h.not_before > now())
     returning 1
   )
   select c.timeline, c.is_synchronous, (select count(*) from marked)::int as marked from changed c`;

const IS_SYNCHRONOUS = `(current_setting('synchronous_standby_names') <> ''
  and current_setting('synchronous_commit') in ('on', 'remote_apply', 'remote_write'))`;
const NOTE_STANDBY = `update database_timeline set is_synchronous = ${IS_SYNCHRONOUS}
   where is_synchronous <> ${IS_SYNCHRONOUS}`;

/** Expression: whether `noticeTimeline` has something to store. */
export const HAS_NEW_TIMELINE = `(select timeline is distinct from current_timeline()
  or is_synchronous <> ${IS_SYNCHRONOUS} from database_timeline)`;

interface Adopted {
  readonly timeline: string | null;
  readonly is_synchronous: boolean;
  readonly marked: number;
}

/**
 * Detects that a standby was promoted or a backup restored. Waiting sends are then marked as started, unless the lost
 * primary had a synchronous standby: for messengers that do not recognise a repetition they end as unknown, the
 * others are sent. Idempotent; any node may call it at any time. Until it has run, `startJobs` starts nothing.
 */
export async function noticeTimeline({ db, log }: Pick<Base, "db" | "log">): Promise<void> {
  const [adopted] = await db.query<Adopted>(ADOPT);
  await db.query(NOTE_STANDBY);
  if (adopted === undefined) return;
  const { timeline, marked, is_synchronous: isSynchronous } = adopted;
  log.warn(
    { timeline, isSynchronous, sends: marked },
    "the database is on another timeline: a standby was promoted, or a backup restored",
  );
}

// No server has this timeline.
const SET_RESTORED = "timeline = 'restored', ids_timeline = 'restored', is_synchronous = false";
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
