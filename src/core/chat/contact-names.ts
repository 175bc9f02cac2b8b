import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { jsonRows } from "../json-rows.ts";
import type { TransportEvent } from "../transport/events.ts";

// Chats are locked in the order in which statements that store messages lock them. Of two names with the same time, the
// later one in the list counts.
const SET_NAMES = sql(
  "chat_contact_names",
  `with input as materialized (
     select distinct on (chat_type, chat_id) chat_type, chat_id, nullif(name, '') as name, at
     from (select row_number() over () as ord, r.* from json_to_recordset($3::json) as r(
             chat_type text, chat_id text, name text, at timestamptz)) n
     order by chat_type, chat_id, at desc, ord desc
   ), found as materialized (
     select c.id, i.name, i.at from input i
     join chats c on c.account_id = $1 and c.channel_id = $2 and c.chat_type = i.chat_type and c.chat_id = i.chat_id
     order by c.id for update of c
   )
   update chats c set contact_name = f.name, contact_name_at = f.at, name = coalesce(f.name, c.name)
   from found f
   where c.account_id = $1 and c.id = f.id and (c.contact_name_at is null or c.contact_name_at <= f.at)
     and (c.contact_name, c.contact_name_at) is distinct from (f.name, f.at)`,
);

/**
 * Stores how the owner's address book calls the people of known chats; other people are not stored. Names are published
 * with the next message, as all names of people are. Idempotent; a name that is older than the stored one has no effect.
 */
export async function recordContactNames(
  core: Pick<Base, "db">,
  { accountId, channelId }: { readonly accountId: number; readonly channelId: string },
  { names }: Extract<TransportEvent, { kind: "contactNames" }>,
): Promise<void> {
  if (names.length === 0) return;
  const rows = names.map(({ chatType, chatId, name, at }) => ({
    chat_type: chatType,
    chat_id: chatId,
    name,
    at,
  }));
  await core.db.bulk({ owner: accountId, rows: rows.length }, (tx) =>
    tx.query(SET_NAMES, [accountId, channelId, jsonRows(rows)]),
  );
}
