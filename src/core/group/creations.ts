import { type Queryable, sql } from "../../database/database.ts";
import type { ChatKey } from "../chat/chats.ts";
import { jsonValue, storable } from "../json-rows.ts";
import { older, removals } from "../retention.ts";
import type { Scope } from "../scope.ts";
import type { CreatedAnswer } from "./call.ts";

/** A creation of a group, by the id of the client's request. */
export interface CreationKey {
  readonly accountId: number;
  readonly channelId: string;
  readonly id: string;
}

const BEGIN = sql(
  "group_creation_begin",
  `insert into group_creations (account_id, id, channel_id) values ($1, $2, $3)
   on conflict (account_id, id) do nothing returning id`,
);

/** Remembers that the creation is begun, before the messenger is asked. False: it was begun before. */
export async function beginCreation(
  tx: Queryable,
  { accountId, channelId, id }: CreationKey,
): Promise<boolean> {
  return (await tx.query(BEGIN, [accountId, id, channelId])).length > 0;
}

const FIND = sql(
  "group_creation_find",
  "select channel_id, answer from group_creations where account_id = $1 and id = $2",
);

/** Undefined: not begun. Null: begun, and its outcome is unknown. */
export async function findCreation(
  db: Queryable,
  { accountId }: Scope,
  id: string,
): Promise<CreatedAnswer | null | undefined> {
  const [row] = await db.query<{ answer: CreatedAnswer | null }>(FIND, [accountId, id]);
  return row?.answer === undefined ? undefined : row.answer;
}

const CANCEL = sql(
  "group_creation_cancel",
  "delete from group_creations where account_id = $1 and id = $2 and answer is null",
);

/** It certainly had no effect, so it may be begun again. */
export async function cancelCreation(tx: Queryable, { accountId, id }: CreationKey): Promise<void> {
  await tx.query(CANCEL, [accountId, id]);
}

const FINISH = sql(
  "group_creation_finish",
  "update group_creations set answer = $3 where account_id = $1 and id = $2",
);
const ADD_CHAT = sql(
  "group_chat_add",
  `insert into chats (account_id, id, channel_id, chat_type, chat_id, name) values ($1, $2, $3, $4, $5, $6)
   on conflict do nothing`,
);

/** Stores what the client is told, and the group's chat, so that messages can be sent to it at once. Idempotent. */
export async function finishCreation(
  tx: Queryable,
  { accountId, channelId, id }: CreationKey,
  chat: ChatKey,
  answer: CreatedAnswer,
): Promise<void> {
  const name = storable(answer.group.name);
  await tx.query(ADD_CHAT, [accountId, chat.id, channelId, chat.chatType, chat.chatId, name]);
  await tx.query(FINISH, [accountId, id, jsonValue(answer)]);
}

export const GROUP_RETENTION = removals({
  group_creations: older("group_creations", "started_at", "2 days"),
});
