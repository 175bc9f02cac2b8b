import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import { type ChatType, traitsOf } from "../transport/definition.ts";
import { normalChatId } from "./names.ts";
import { nicknameOf } from "./nickname.ts";

const FIND_CHANNEL = sql("read_find_channel", "select 1 from channels where account_id = $1 and id = $2");

/** Throws CHANNEL_NOT_FOUND. Chats of a deleted channel that are kept can be read. */
export async function checkChannel({ db }: Base, { accountId }: Scope, channelId: string): Promise<void> {
  const found = await db.query(FIND_CHANNEL, [accountId, channelId]);
  if (found.length === 0) throw new AppError("CHANNEL_NOT_FOUND");
}

const FIND = sql(
  "read_find_chats",
  `select c.id, c.channel_id, n.ord::int as ord from channels h
   cross join unnest($3::text[]) with ordinality as n(chat_id, ord)
   join chats c on c.channel_id = any(array[h.id]) and c.chat_type = $2 and c.chat_id = n.chat_id
   where h.account_id = $1 and c.account_id = $1 and ($4::uuid is null or h.id = $4)`,
);

/** More channels of an account with the same chat are not merged: the request has to name the channel. */
const MAX_CHATS = 100;

/** A chat by its public id, in one channel or in all. */
export interface NamedChat {
  readonly chatType: ChatType;
  readonly chatId: string;
  readonly channelId: string | null;
}

/** Our ids of the chats with this public id, at least one. Throws CHANNEL_NOT_FOUND, CHAT_NOT_FOUND. */
export async function findChats(
  core: Base,
  scope: Scope,
  { chatType, chatId, channelId }: NamedChat,
): Promise<string[]> {
  if (channelId !== null) await checkChannel(core, scope, channelId);
  const ids = storedIds(chatType, chatId);
  const rows = await core.db.query<{ id: string; channel_id: string; ord: number }>(FIND, [
    scope.accountId,
    chatType,
    ids,
    channelId,
  ]);
  // A chat that has the id itself is preferred to one that is stored under a phone number or username.
  const best = new Map<string, (typeof rows)[number]>();
  for (const row of rows.toSorted((a, b) => b.ord - a.ord)) best.set(row.channel_id, row);
  if (best.size === 0) throw new AppError("CHAT_NOT_FOUND");
  if (best.size > MAX_CHATS)
    throw new AppError("VALIDATION_ERROR", {
      data: {
        fields: [
          { field: "channel_id", message: `is required: more than ${MAX_CHATS} channels have this chat` },
        ],
      },
    });
  return [...best.values()].map(({ id }) => id);
}

/** The ids under which a chat with this public id may be stored: see `publicChatId`. */
function storedIds(chatType: ChatType, chatId: string): string[] {
  const addressBy = traitsOf(chatType)?.addressBy ?? [];
  return [
    normalChatId(chatType, chatId) ?? chatId,
    ...(addressBy.includes("username") ? [nicknameOf({ username: chatId })] : []),
    ...(addressBy.includes("phone") ? [nicknameOf({ phone: chatId })] : []),
  ];
}
