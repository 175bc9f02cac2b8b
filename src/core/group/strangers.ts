import { type Queryable, sql } from "../../database/database.ts";
import { nicknameOf } from "../chat/nickname.ts";
import { jsonRows } from "../json-rows.ts";
import { exchangedMessages } from "../message/exchanged.ts";
import { type ChatType, traitsOf } from "../transport/definition.ts";
import type { GroupPersonName } from "../transport/groups.ts";

// Each name has its own lookup: with "or" inside one, the planner may read all chats of the channel. It would do that also
// for an equal name if it takes the channel for empty; a range in the order of the index rules that out.
const known = (name: string, condition: string): string => `exists (
  select 1 from (select * from chats n where ${condition} order by ${name} offset 0) k
  where k.account_id = $1 and k.chat_type = $3
    and (k.last_inbound_at is not null or ${exchangedMessages("k.account_id", "k.id")} is not null))`;
const STRANGERS = sql(
  "group_strangers",
  `select count(*)::int as strangers
   from json_to_recordset($4::json) as r(chat_id text, phone text, username text)
   where not ${known("n.chat_id", "n.channel_id = $2 and n.chat_type = $3 and n.chat_id between r.chat_id and r.chat_id")}
     and not ${known("n.phone", "n.account_id = $1 and n.channel_id = $2 and n.phone between r.phone and r.phone")}
     and not ${known("lower(n.username)", "n.account_id = $1 and n.channel_id = $2 and lower(n.username) between lower(r.username) and lower(r.username)")}`,
);

/** How many of these people never wrote to the channel and got no message of it. `chatType`: of a private chat. */
export async function countStrangers(
  db: Queryable,
  { accountId, channelId }: { readonly accountId: number; readonly channelId: string },
  chatType: ChatType,
  people: readonly GroupPersonName[],
): Promise<number> {
  if (people.length === 0) return 0;
  const rows = people.map((person) => lookupOf(chatType, person));
  const [row] = await db.query<{ strangers: number }>(STRANGERS, [
    accountId,
    channelId,
    chatType,
    jsonRows(rows),
  ]);
  return row?.strangers ?? 0;
}

/** Under which names the person's private chat may be stored. Pure. */
function lookupOf(chatType: ChatType, person: GroupPersonName) {
  const nothing = { chat_id: null, phone: null, username: null };
  if ("id" in person) return { ...nothing, chat_id: person.id };
  const form = traitsOf(chatType)?.idForm;
  if ("phone" in person) {
    const { phone } = person;
    return { ...nothing, phone, chat_id: form === "phone" ? phone : nicknameOf({ phone }) };
  }
  const { username } = person;
  return { ...nothing, username, chat_id: form === "username" ? username : nicknameOf({ username }) };
}
