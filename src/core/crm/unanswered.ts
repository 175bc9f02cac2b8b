import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { HasLive } from "../event/live-notifier.ts";
import type { Scope } from "../scope.ts";
import { CONTACTS_OF_CHAT } from "./client.ts";
import { getUser } from "./users.ts";

/** Unanswered messages, as counted for one employee. */
export interface Unanswered {
  readonly counter: number;
  /** `red`: messages for this employee; `grey`: only messages for others. */
  readonly type: "red" | "grey" | null;
  readonly lastMessageAt: Date | null;
}

const WINDOW_DAYS = 7;

interface Totals {
  readonly user_id: string;
  readonly own: number;
  readonly own_at: Date | null;
  readonly others: number;
  readonly others_at: Date | null;
}

// Subqueries instead of joins: each is a lookup by key, whatever the planner's estimates are. Who is responsible for a
// chat is found once for all employees.
const COUNT = sql(
  "unanswered_count",
  `with waiting as (
     select account_id, chat, max(at) as last_at,
            count(*) filter (where at > now() - interval '${WINDOW_DAYS} days') as messages
     from unanswered where account_id = $1
     group by account_id, chat having max(at) > now() - interval '${WINDOW_DAYS} days'
   ), judged as (
     select w.messages, w.last_at, o.responsible, o.taken
     from waiting w join chats c on c.account_id = any(array[w.account_id]) and c.id = w.chat
     cross join lateral (
       select array_agg(r.user_id) as responsible,
              bool_or(exists (select 1 from crm_users u where u.account_id = c.account_id and u.id = r.user_id)) as taken
       from (${CONTACTS_OF_CHAT}) k cross join lateral unnest(
         array[(select p.responsible_user_id from contacts p where p.account_id = c.account_id and p.id = k.id)] ||
         array(select (select d.responsible_user_id from deals d
                       where d.account_id = e.account_id and d.id = e.deal_id and not d.closed)
               from deal_contacts e where e.account_id = c.account_id and e.contact_id = k.id)
       ) as r(user_id)
     ) o
   ), seen as (
     select e.id as user_id, j.messages, j.last_at,
            coalesce(nullif(e.id = any(j.responsible), false), e.takes and j.taken is not true, false) as own
     from (select i.id, coalesce((select u.gets_new_clients from crm_users u where u.account_id = $1 and u.id = i.id), false) as takes
           from unnest($2::text[]) as i(id)) e
     left join judged j on true
   )
   select user_id, coalesce(sum(messages) filter (where own), 0)::bigint as own, max(last_at) filter (where own) as own_at,
          coalesce(sum(messages) filter (where not own), 0)::bigint as others,
          max(last_at) filter (where not own) as others_at
   from seen group by user_id`,
);

/**
 * Counts the unanswered messages of clients of the last 7 days. An employee is responsible for the chats of contacts
 * and open deals assigned to him and, with the switch "gets new clients", for unassigned ones. Throws USER_NOT_FOUND.
 */
export async function countUnanswered(core: Base, scope: Scope, userId: string): Promise<Unanswered> {
  const { id } = await getUser(core, scope, userId);
  return countUnansweredOfAnyone(core, scope, id);
}

/** The same for an employee whom the CRM may not have uploaded: such an employee gets no new clients. */
export async function countUnansweredOfAnyone(core: Base, scope: Scope, userId: string): Promise<Unanswered> {
  return (await countUnansweredOfEach(core, scope, [userId])).get(userId) ?? NOTHING;
}

/** The same for several employees, by their ids. */
export async function countUnansweredOfEach(
  { db }: Pick<Base, "db">,
  { accountId }: Scope,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Unanswered>> {
  const totals = await db.query<Totals>(COUNT, [accountId, userIds]);
  return new Map(totals.map((each) => [each.user_id, seenBy(each)]));
}

const NOTHING: Unanswered = { counter: 0, type: null, lastMessageAt: null };

function seenBy({ own, own_at: ownAt, others, others_at: othersAt }: Totals): Unanswered {
  if (own > 0) return { counter: own, type: "red", lastMessageAt: ownAt };
  return others > 0 ? { counter: others, type: "grey", lastMessageAt: othersAt } : NOTHING;
}

const CLEAR = sql(
  "unanswered_clear",
  `delete from unanswered where ctid = any(array(
     select ctid from unanswered where account_id = $1 for update skip locked))`,
);

const NO_CHAT = "00000000-0000-0000-0000-000000000000";

/** Marks all messages of the account as answered. */
export async function clearUnanswered(core: Base & HasLive, { accountId }: Scope): Promise<void> {
  await core.db.query(CLEAR, [accountId]);
  core.live.notify({ accountId, about: "reload", chat: NO_CHAT, subject: "" });
}
