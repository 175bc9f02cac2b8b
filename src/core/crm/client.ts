import { type Queryable, sql } from "../../database/database.ts";
import type { Scope } from "../core.ts";

/** The CRM's contact behind a chat. */
export interface Client {
  readonly contactId: string;
  readonly responsibleUserId: string;
  /** Whether it has a deal, open or closed. */
  readonly hasDeal: boolean;
}

/**
 * Part of a statement: ids of the contacts of the chat `c`, a row of `chats`. A contact whose chat id is known is
 * found by nothing else.
 */
export const CONTACTS_OF_CHAT = `select k.contact_id as id from contact_chats k
  where k.account_id = c.account_id and k.chat_type = c.chat_type and k.chat_id = c.chat_id
  union
  select k.contact_id from contact_chats k
  where k.account_id = c.account_id and k.chat_type = c.chat_type and k.chat_id is null
    and k.username is not null and lower(k.username) = lower(c.username)
  union
  select k.contact_id from contact_chats k
  where k.account_id = c.account_id and k.chat_type = c.chat_type and k.chat_id is null
    and k.phone is not null and k.phone = c.phone`;

// "offset 0" keeps it a look-up by key, whatever the planner believes of the tables.
const FIND = sql(
  "crm_client_find",
  `select p.id, p.responsible_user_id,
          exists (select 1 from deal_contacts d where d.account_id = p.account_id and d.contact_id = p.id) as has_deal
   from chats c cross join lateral (${CONTACTS_OF_CHAT}) k
   cross join lateral (select * from contacts where account_id = c.account_id and id = k.id offset 0) p
   where c.account_id = $1 and c.id = $2
   order by p.created_at, p.id limit 1`,
);

/** The contact that the CRM loaded first for this chat (our id of it); null when it knows none. */
export async function findClient(db: Queryable, { accountId }: Scope, chat: string): Promise<Client | null> {
  const [row] = await db.query<{ id: string; responsible_user_id: string; has_deal: boolean }>(FIND, [
    accountId,
    chat,
  ]);
  return row === undefined
    ? null
    : { contactId: row.id, responsibleUserId: row.responsible_user_id, hasDeal: row.has_deal };
}
