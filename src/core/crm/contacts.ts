import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { normalNames } from "../chat/names.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { jsonRows } from "../json-rows.ts";
import { withinCrmQuota } from "../quota/crm.ts";
import type { Scope } from "../scope.ts";
import { notifyingClientChanges } from "./client-changes.ts";
import type { Contact, ContactChange, ContactChat } from "./contact.ts";
import { deduplicateById } from "./entity.ts";
import { entityTable } from "./entity-table.ts";

const SAVE = sql(
  "contacts_save",
  `insert into contacts (account_id, id, responsible_user_id, name, uri)
   select $1, id, responsible_user_id, name, uri
   from json_to_recordset($2::json) as r(id text, responsible_user_id text, name text, uri text)
   order by id collate "C"
   on conflict (account_id, id) do update set
     responsible_user_id = excluded.responsible_user_id, name = excluded.name, uri = excluded.uri
   where (contacts.responsible_user_id, contacts.name, contacts.uri)
     is distinct from (excluded.responsible_user_id, excluded.name, excluded.uri)`,
);
const CHANGED_CHATS = sql(
  "contact_chats_changed",
  `select r.contact_id from json_to_recordset($2::json) as r(contact_id text, chats jsonb)
   where r.chats <> coalesce(
     (select jsonb_agg(jsonb_build_array(c.chat_type, c.chat_id, c.username, c.phone) order by c.position)
      from contact_chats c where c.account_id = $1 and c.contact_id = r.contact_id), '[]')`,
);
const FORGET_CHATS = sql(
  "contact_chats_forget",
  "delete from contact_chats where account_id = $1 and contact_id = any($2)",
);
const SAVE_CHATS = sql(
  "contact_chats_save",
  `insert into contact_chats (account_id, contact_id, position, chat_type, chat_id, username, phone)
   select $1, contact_id, position, chat_type, chat_id, username, phone
   from json_to_recordset($2::json) as r(
     contact_id text, position integer, chat_type text, chat_id text, username text, phone text)`,
);

/**
 * Adds or replaces contacts, all or none. They have passed `checkContacts`; names of their chats are stored in normal
 * form. Idempotent: what is stored already is not written, since a CRM repeats its contacts more often than it changes
 * them. Throws QUOTA_EXCEEDED.
 */
export function saveContacts(
  core: Base & HasLive,
  scope: Scope,
  contacts: readonly Contact[],
): Promise<void> {
  const size = {
    owner: scope.accountId,
    rows: contacts.reduce((rows, contact) => rows + rowsOf(contact), 0),
  };
  return notifying(core, scope, contacts, () =>
    core.db.bulk(size, (tx) => withinCrmQuota(core, { tx, scope }, () => storeContacts(tx, scope, contacts))),
  );
}

function rowsOf({ contactData = [] }: Partial<Contact>): number {
  return 1 + contactData.length;
}

/** The same in the caller's transaction. */
async function storeContacts(
  tx: Queryable,
  { accountId }: Scope,
  contacts: readonly Contact[],
): Promise<void> {
  const each = deduplicateById(contacts);
  // Locks the rows of the contacts first, so that a concurrent transaction with the same contacts waits until their
  // chats are complete.
  await tx.query(SAVE, [accountId, jsonRows(each.map(contactRow))]);
  const compared = each.map(({ id, contactData }) => ({
    contact_id: id,
    chats: contactData.map(comparable),
  }));
  const changed = await tx.query<{ contact_id: string }>(CHANGED_CHATS, [accountId, jsonRows(compared)]);
  if (changed.length === 0) return;
  const ids = new Set(changed.map((row) => row.contact_id));
  await tx.query(FORGET_CHATS, [accountId, [...ids]]);
  const chats = each.filter(({ id }) => ids.has(id)).flatMap(chatRows);
  await tx.query(SAVE_CHATS, [accountId, jsonRows(chats)]);
}

function contactRow({ id, responsibleUserId, name, uri }: Contact): object {
  return { id, responsible_user_id: responsibleUserId, name, uri };
}

function chatRows({ id, contactData }: Contact): object[] {
  return contactData.map(normalNames).map(({ chatType, chatId, username, phone }, position) => ({
    contact_id: id,
    position,
    chat_type: chatType,
    chat_id: chatId,
    username,
    phone,
  }));
}

/** In the form that the statement comparing chats reads. */
function comparable(chat: ContactChat): (string | null)[] {
  const { chatType, chatId = null, username = null, phone = null } = normalNames(chat);
  return [chatType, chatId, username, phone];
}

interface Row {
  readonly id: string;
  readonly responsible_user_id: string;
  readonly name: string;
  readonly uri: string | null;
  readonly chats: readonly ContactChat[] | null;
}

const COLUMNS = `t.id, t.responsible_user_id, t.name, t.uri,
  (select json_agg(json_strip_nulls(json_build_object(
            'chatType', k.chat_type, 'chatId', k.chat_id, 'username', k.username, 'phone', k.phone))
          order by k.position)
   from contact_chats k where k.account_id = t.account_id and k.contact_id = t.id) as chats`;

function contactOf({ id, responsible_user_id: responsibleUserId, name, uri, chats }: Row): Contact {
  return { id, responsibleUserId, name, contactData: [...(chats ?? [])], ...(uri === null ? {} : { uri }) };
}

const table = entityTable<Row, Contact>({
  table: "contacts",
  columns: COLUMNS,
  blank: { columns: "responsible_user_id, name", values: "'', ''" },
  notFound: "CONTACT_NOT_FOUND",
  entityOf: contactOf,
  rowsOf,
  store: storeContacts,
});
export const {
  list: listContacts,
  get: getContact,
  findEach: findContacts,
  complete: completeContact,
} = table;

/** As `EntityTable.change`. */
export function changeContacts(
  core: Base & HasLive,
  scope: Scope,
  changes: readonly ContactChange[],
): Promise<string[]> {
  return notifying(core, scope, changes, () => table.change(core, scope, changes));
}

/** As `EntityTable.remove`. Deals keep references to deleted contacts. */
export function removeContacts(
  core: Base & HasLive,
  scope: Scope,
  ids: readonly string[],
): Promise<string[]> {
  return notifyingClientChanges(core, scope, { contacts: ids }, () => table.remove(core, scope, ids));
}

function notifying<T>(
  core: Base & HasLive,
  scope: Scope,
  contacts: readonly { readonly id: string }[],
  work: () => Promise<T>,
): Promise<T> {
  return notifyingClientChanges(core, scope, { contacts: contacts.map(({ id }) => id) }, work);
}
