import { type Queryable, sql } from "../../database/database.ts";
import type { Scope } from "../scope.ts";
import type { KnownContact } from "./creation.ts";

/**
 * Part of a statement: ids of the contacts of the chat `c`, a row of `chats`. If a contact has a chat id, it is
 * matched by nothing else.
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

/** Part of a statement: columns of a `KnownContact`, from a row `p` of `contacts`. */
const KNOWN_CONTACT = `p.id as contact_id,
  (select u.id from crm_users u where u.account_id = p.account_id and u.id = p.responsible_user_id) as responsible_user_id,
  exists (select 1 from deal_contacts d where d.account_id = any(array[p.account_id]) and d.contact_id = p.id) as has_deal`;

/** Part of a statement: a row with the contact of chat `c` that the CRM uploaded first, or none. */
export const CONTACT_OF_CHAT = `select ${KNOWN_CONTACT}
  from (${CONTACTS_OF_CHAT}) k
  join contacts p on p.account_id = any(array[c.account_id]) and p.id = k.id
  order by p.created_at, p.id limit 1`;

/** A row with these columns; all null if there is no contact. */
export interface KnownContactRow {
  readonly contact_id: string | null;
  readonly responsible_user_id: string | null;
  readonly has_deal: boolean | null;
}

export function knownContactOf(row: KnownContactRow): KnownContact | null {
  const { contact_id: id, responsible_user_id: responsibleUserId, has_deal: hasDeal } = row;
  return id === null ? null : { id, responsibleUserId, hasDeal: hasDeal === true };
}

const OF_CHAT = sql(
  "crm_contact_of_chat",
  `select k.* from chats c cross join lateral (${CONTACT_OF_CHAT}) k where c.account_id = $1 and c.id = $2`,
);
const BY_ID = sql(
  "crm_known_contact",
  `select ${KNOWN_CONTACT} from contacts p where p.account_id = $1 and p.id = $2`,
);

/** The contact that the CRM uploaded first for this chat (our id of the chat); null if there is none. */
export function findClient(db: Queryable, { accountId }: Scope, chat: string): Promise<KnownContact | null> {
  return findOne(db, OF_CHAT, [accountId, chat]);
}

/** The known data of a contact, by its id. */
export function findKnownContact(
  db: Queryable,
  { accountId }: Scope,
  contactId: string,
): Promise<KnownContact | null> {
  return findOne(db, BY_ID, [accountId, contactId]);
}

async function findOne(
  db: Queryable,
  statement: typeof BY_ID,
  values: readonly unknown[],
): Promise<KnownContact | null> {
  const [row] = await db.query<KnownContactRow>(statement, values);
  return row === undefined ? null : knownContactOf(row);
}
