/**
 * SQL for the name of a message's author: as the page stored it, else that of the CRM's user whom the API named. `table`
 * is the name of `messages` in the statement.
 */
export function authorNameOf(table: string): string {
  return `coalesce(${table}.author_name, (select u.name from crm_users u
       where u.account_id = ${table}.account_id and u.id = ${table}.author_id))`;
}
