import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { authorNameOf } from "./author.ts";
import type { Colleague } from "./chat-view.ts";
import type { InboxSession } from "./reach.ts";

const REMEMBER = sql(
  "page_employee_remember",
  `insert into page_employees as e (account_id, user_id, name) values ($1, $2, $3)
   on conflict (account_id, user_id) do update set name = coalesce(excluded.name, e.name), seen_at = now()
     where e.name is distinct from excluded.name or e.seen_at < now() - interval '1 hour'`,
);

/** Lets colleagues find the employee of a page that was opened. */
export async function rememberEmployee(
  core: Base,
  session: Pick<InboxSession, "scope" | "opening">,
): Promise<void> {
  const { scope, opening } = session;
  await core.db.query(REMEMBER, [scope.accountId, opening.userId, await authorNameOf(core, session)]);
}

/** So many of each: those whom the CRM has uploaded, by name, and those who have opened a page, the last ones. */
const MOST = 500;
const LIST = sql(
  "page_colleagues",
  `with uploaded as (
     select id, name from crm_users where account_id = $1 and $2 order by name, id limit ${MOST}
   ), seen as (
     select user_id as id, name from page_employees where account_id = $1 order by seen_at desc limit ${MOST})
   select id, name from uploaded
   union all
   select id, name from seen s where not exists (select from uploaded u where u.id = s.id)`,
);

/**
 * The employees to whom a chat can be handed over. A page that may not show the CRM's data lists only those who have
 * opened a page.
 */
export async function listColleagues(core: Base, { scope, opening }: InboxSession): Promise<Colleague[]> {
  const rows = await core.db.query<Colleague & object>(LIST, [scope.accountId, opening.crm]);
  return rows.map(({ id, name }) => ({ id, name }));
}

const FIND = sql(
  "page_colleague",
  `select (select name from crm_users where account_id = $1 and id = $2 and $3) as uploaded,
     exists (select from page_employees where account_id = $1 and user_id = $2) as seen,
     (select name from page_employees where account_id = $1 and user_id = $2) as name`,
);

/** Undefined: there is no such employee. */
export async function findColleague(
  core: Base,
  session: InboxSession,
  id: string,
): Promise<Colleague | undefined> {
  const { scope, opening } = session;
  if (id === opening.userId) return { id, name: await authorNameOf(core, session) };
  const [row] = await core.db.query<{ uploaded: string | null; seen: boolean; name: string | null }>(FIND, [
    scope.accountId,
    id,
    opening.crm,
  ]);
  if (row === undefined || (row.uploaded === null && !row.seen)) return undefined;
  return { id, name: row.uploaded ?? row.name };
}
