import { type Queryable, sql } from "../../database/database.ts";
import { publicChatId } from "../chat/nickname.ts";
import type { Fact } from "../payload/facts.ts";
import type { ChatType } from "../transport/definition.ts";
import type { TransportEvent } from "../transport/events.ts";
import type { SendJob } from "./send-jobs.ts";

/** The person whose reaction is stored for the channel's own account. */
export const OURS = "";

// An older report changes nothing, and neither does the removal of a reaction that was never known. Of the channel's own
// only whole seconds count: a report may have the time of our clock, what follows the seconds of the messenger.
const STORE = sql(
  "reaction_store",
  `with stored as (
     insert into message_reactions as r (account_id, message_id, person, name, emoji, at)
     select account_id, id, $4, $5, $6, $7 from messages
     where account_id = $1 and id = $2 and chat = $3 and deleted_at is null
     on conflict (account_id, message_id, person) do update
       set name = excluded.name, emoji = excluded.emoji, at = excluded.at
       where case when r.person = '${OURS}' then date_trunc('second', r.at) else r.at end <= excluded.at
         and r.emoji is distinct from excluded.emoji
     returning account_id, message_id, emoji, xmax = 0 as is_first
   )
   select m.channel_id, m.chat, c.chat_type, c.chat_id, c.name as chat_name, c.username, c.phone,
     coalesce(m.content ? 'isHistory', false) as is_history
   from stored s
   join messages m on m.account_id = any(array[s.account_id]) and m.id = s.message_id
   join chats c on c.account_id = any(array[m.account_id]) and c.id = m.chat
   where not (s.is_first and s.emoji is null)`,
);

const FIND = sql(
  "reaction_message",
  "select id from messages where account_id = $1 and chat = $2 and external_id = $3",
);

interface StoredRow {
  readonly channel_id: string;
  readonly chat: string;
  readonly chat_type: ChatType;
  readonly chat_id: string;
  readonly chat_name: string;
  readonly username: string | null;
  readonly phone: string | null;
  /** The message was imported: receivers do not know it. */
  readonly is_history: boolean;
}

interface Reaction {
  readonly accountId: number;
  readonly messageId: string;
  readonly chat: string;
  /** Undefined: the channel's own account. */
  readonly by: { readonly id: string; readonly name: string } | undefined;
  /** Null: it is removed. */
  readonly emoji: string | null;
  readonly at: Date;
}

export type ReactionEvent = Extract<TransportEvent, { kind: "reaction" }>;

/**
 * Stores a messenger's report in the caller's transaction and returns what to publish; null if the message is not known.
 * Idempotent.
 */
export async function recordReaction(
  tx: Queryable,
  of: { readonly accountId: number; readonly chat: string },
  { ref, by, emoji, at }: ReactionEvent,
): Promise<Fact[] | null> {
  const [row] = await tx.query<{ id: string }>(FIND, [of.accountId, of.chat, ref.externalId]);
  return row === undefined
    ? null
    : storeReaction(tx, { accountId: of.accountId, chat: of.chat, messageId: row.id, by, emoji, at });
}

/** The same for a reaction of ours that the messenger has accepted. */
export function recordOwnReaction(
  tx: Queryable,
  { accountId, messageId, chat, change }: SendJob,
  at: Date,
): Promise<Fact[]> {
  const emoji = change?.emoji ?? null;
  // Messengers give whole seconds, and our clock may be ahead.
  const second = new Date(Math.floor(at.getTime() / 1_000) * 1_000);
  return storeReaction(tx, { accountId, messageId, chat, by: undefined, emoji, at: second });
}

async function storeReaction(tx: Queryable, reaction: Reaction): Promise<Fact[]> {
  const { accountId, messageId, chat, by, emoji, at } = reaction;
  const values = [accountId, messageId, chat, by?.id ?? OURS, by?.name ?? "", emoji, at];
  const rows = await tx.query<StoredRow>(STORE, values);
  return rows.map((row) => (row.is_history ? liveFact(reaction) : reactionFact(reaction, row)));
}

function liveFact({ accountId, messageId: subject, chat }: Reaction): Fact {
  return { kind: "live", change: { accountId, about: "message", chat, subject } };
}

function reactionFact({ accountId, messageId, by, emoji, at }: Reaction, row: StoredRow): Fact {
  return {
    kind: "reaction",
    reaction: {
      accountId,
      messageId,
      channelId: row.channel_id,
      chat: row.chat,
      chatType: row.chat_type,
      chatId: publicChatId({ chatType: row.chat_type, chatId: row.chat_id }),
      contact: { name: row.chat_name, username: row.username, phone: row.phone },
      by: by ?? null,
      emoji,
      at,
    },
  };
}
