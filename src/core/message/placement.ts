import { firstIdOf } from "../chat/chats.ts";
import { isReassignable } from "../chat/names.ts";
import type { ReportedMessage } from "./late-content.ts";

/** The row of a message to be stored: the messenger's name of its chat, and the chat with this name. */
export interface MessageRow extends ReportedMessage, Readonly<Record<string, unknown>> {
  readonly channel_id: string;
  readonly chat: string;
  readonly chat_type: string;
  readonly chat_id: string;
}

/** What the statement returns for a row. */
export interface InsertedRow {
  readonly id: string;
  /** The message was not stored, because its chat has another name. */
  readonly is_misplaced: boolean;
  /** This name, if the statement saw it. */
  readonly named: string | null;
}

/** Expression: the rows of `input` whose chat has another name by now, except those that it already has. */
export const MISPLACED = `from input i
   where i.chat not in (select id from people)
     and (select true from messages m
          where m.account_id = any(array[i.account_id]) and m.chat = any(array[i.chat]) and m.external_id = i.external_id
          limit 1) is null`;

interface Placed<Inserted> {
  /** The stored messages. */
  readonly stored: readonly Inserted[];
  /** By message: the chat, if it is another one than the row says. */
  readonly chats: ReadonlyMap<string, string>;
}

interface Attempt {
  readonly row: MessageRow;
  /** How many chats with this first name were tried. */
  readonly tried: number;
}

/**
 * Stores messages in the chats that have their names now. A chat keeps its id when the messenger renames it, so the id
 * that follows from a name may be that of a renamed chat. If the name is a phone number or a username, the message is
 * from its next owner, who gets another chat. An id of the messenger's own has no next owner.
 */
export async function insertPlaced<Inserted extends InsertedRow>(
  rows: readonly MessageRow[],
  insert: (rows: readonly MessageRow[]) => Promise<readonly Inserted[]>,
): Promise<Placed<Inserted>> {
  const stored: Inserted[] = [];
  const chats = new Map<string, string>();
  let attempts: readonly Attempt[] = rows.map((row) => ({ row, tried: 0 }));
  while (attempts.length > 0) {
    const { now, later } = splitByName(attempts);
    const inserted = await insert(now.map(({ row }) => row));
    stored.push(...inserted.filter((each) => !each.is_misplaced));
    const misplaced = new Map(inserted.filter((each) => each.is_misplaced).map((each) => [each.id, each]));
    const again = now.flatMap((attempt) => {
      const found = misplaced.get(attempt.row.id);
      return found === undefined ? [] : [nextOf(attempt, found.named)];
    });
    for (const { row } of again) chats.set(row.id, row.chat);
    attempts = [...again, ...later];
  }
  return { stored, chats };
}

/** One statement can store the messages of a chat only under one name. */
function splitByName(attempts: readonly Attempt[]): { now: readonly Attempt[]; later: readonly Attempt[] } {
  const names = new Map<string, string>();
  for (const { row } of attempts) if (!names.has(row.chat)) names.set(row.chat, row.chat_id);
  const isFirstName = ({ row }: Attempt): boolean => names.get(row.chat) === row.chat_id;
  return { now: attempts.filter(isFirstName), later: attempts.filter((each) => !isFirstName(each)) };
}

function nextOf({ row, tried }: Attempt, named: string | null): Attempt {
  const { channel_id: channelId, chat_type: chatType, chat_id: chatId } = row;
  if (!isReassignable(chatType, chatId)) return { row: { ...row, chat_id: named ?? chatId }, tried };
  const idOf = (nth: number): string => firstIdOf({ channelId, chatType, chatId }, nth);
  const next = idOf(tried + 1) === row.chat ? tried + 2 : tried + 1;
  return { row: { ...row, chat: idOf(next) }, tried: next };
}
