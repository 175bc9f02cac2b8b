import { type Queryable, sql } from "../../database/database.ts";
import type { Core, Scope } from "../core.ts";
import { AppError } from "../errors.ts";
import { jsonRows } from "../json-rows.ts";
import type { Contact, ContactChange, ContactChat } from "./contact.ts";
import { lastOfEach, missingOf, PAGE_SIZE, type Page } from "./entity.ts";

const SAVE = sql(
  "contacts_save",
  `insert into contacts (account_id, id, responsible_user_id, name, uri)
   select $1, id, responsible_user_id, name, uri
   from json_to_recordset($2::json) as r(id text, responsible_user_id text, name text, uri text)
   order by id collate "C"
   on conflict (account_id, id) do update set
     responsible_user_id = excluded.responsible_user_id, name = excluded.name, uri = excluded.uri`,
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
 * Adds the contacts, or changes those that exist, all or none of them; what they had before is replaced. They have
 * passed `checkContacts`. Repeating it changes nothing.
 */
export function saveContacts(core: Core, scope: Scope, contacts: readonly Contact[]): Promise<void> {
  return core.db.tx((tx) => storeContacts(tx, scope, contacts));
}

/** The same in the caller's transaction. */
async function storeContacts(
  tx: Queryable,
  { accountId }: Scope,
  contacts: readonly Contact[],
): Promise<void> {
  const each = lastOfEach(contacts);
  // The rows of the contacts are locked first: whoever saves the same ones waits until their chats are complete.
  await tx.query(SAVE, [accountId, jsonRows(each.map(contactRow))]);
  await tx.query(FORGET_CHATS, [accountId, each.map(({ id }) => id)]);
  await tx.query(SAVE_CHATS, [accountId, jsonRows(each.flatMap(chatRows))]);
}

function contactRow({ id, responsibleUserId, name, uri }: Contact): object {
  return { id, responsible_user_id: responsibleUserId, name, uri };
}

function chatRows({ id, contactData }: Contact): object[] {
  return contactData.map(({ chatType, chatId, username, phone }, position) => ({
    contact_id: id,
    position,
    chat_type: chatType,
    chat_id: chatId,
    username,
    phone,
  }));
}

interface Row {
  readonly id: string;
  readonly responsible_user_id: string;
  readonly name: string;
  readonly uri: string | null;
  readonly chats: readonly ContactChat[] | null;
}

const COLUMNS = `c.id, c.responsible_user_id, c.name, c.uri,
  (select json_agg(json_strip_nulls(json_build_object(
            'chatType', k.chat_type, 'chatId', k.chat_id, 'username', k.username, 'phone', k.phone))
          order by k.position)
   from contact_chats k where k.account_id = c.account_id and k.contact_id = c.id) as chats`;

const COUNT = sql("contacts_count", "select count(*) as count from contacts where account_id = $1");
const LIST = sql(
  "contacts_list",
  `select ${COLUMNS} from contacts c where c.account_id = $1 order by c.id offset $2 limit ${PAGE_SIZE}`,
);

/** A page of contacts by id, from the place `offset`. */
export async function listContacts(core: Core, { accountId }: Scope, offset: number): Promise<Page<Contact>> {
  const [[total], rows] = await Promise.all([
    core.db.query<{ count: number }>(COUNT, [accountId]),
    core.db.query<Row>(LIST, [accountId, offset]),
  ]);
  return { count: total?.count ?? 0, data: rows.map(contactOf) };
}

const FIND = sql("contact_find", `select ${COLUMNS} from contacts c where c.account_id = $1 and c.id = $2`);

/** Throws CONTACT_NOT_FOUND for an unknown id and for another account's. */
export async function getContact(core: Core, { accountId }: Scope, id: string): Promise<Contact> {
  const [row] = await core.db.query<Row>(FIND, [accountId, id]);
  if (row === undefined) throw new AppError("CONTACT_NOT_FOUND");
  return contactOf(row);
}

function contactOf({ id, responsible_user_id: responsibleUserId, name, uri, chats }: Row): Contact {
  return { id, responsibleUserId, name, contactData: [...(chats ?? [])], ...(uri === null ? {} : { uri }) };
}

const LOCK = sql(
  "contacts_lock",
  "select id from contacts where account_id = $1 and id = any($2) order by id for update",
);
const FIND_EACH = sql(
  "contacts_find_each",
  `select ${COLUMNS} from contacts c where c.account_id = $1 and c.id = any($2)`,
);

/** Changes contacts that exist, as far as a change says, and returns the ids of those that do not. */
export function changeContacts(
  core: Core,
  scope: Scope,
  changes: readonly ContactChange[],
): Promise<string[]> {
  const changeById = new Map(changes.map((change) => [change.id, change]));
  const ids = [...changeById.keys()];
  return core.db.tx(async (tx) => {
    // Read after the lock: what somebody saved meanwhile is there.
    await tx.query(LOCK, [scope.accountId, ids]);
    const rows = await tx.query<Row>(FIND_EACH, [scope.accountId, ids]);
    const changed = rows.map((row) => ({ ...contactOf(row), ...changeById.get(row.id) }));
    await storeContacts(tx, scope, changed);
    return missingOf(ids, rows);
  });
}

/**
 * Stores one contact in the caller's transaction, completed by what is stored of it (null: it is new). Returns it as it
 * is now.
 */
export async function completeContact(
  tx: Queryable,
  scope: Scope,
  id: string,
  complete: (stored: Contact | null) => Contact,
): Promise<Contact> {
  await tx.query(LOCK, [scope.accountId, [id]]);
  const [row] = await tx.query<Row>(FIND_EACH, [scope.accountId, [id]]);
  const contact = complete(row === undefined ? null : contactOf(row));
  await storeContacts(tx, scope, [contact]);
  return contact;
}

const REMOVE = sql(
  "contacts_remove",
  "delete from contacts where account_id = $1 and id = any($2) returning id",
);

/** Removes contacts and returns the ids of those that were not there. Deals keep naming them. */
export async function removeContacts(
  core: Core,
  { accountId }: Scope,
  ids: readonly string[],
): Promise<string[]> {
  const gone = await core.db.tx((tx) => tx.query<{ id: string }>(REMOVE, [accountId, ids]));
  return missingOf(ids, gone);
}
