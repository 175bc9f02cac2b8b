import { sql } from "../../database/database.ts";
import { derivedId } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { storeWholeText, TEXT_FILE } from "../file/whole-text.ts";
import type { MessengerEvent } from "../message/report.ts";
import type { HasReports } from "../message/report-queue.ts";
import { messageIdOf, wholeTextId } from "../message/whole-text-id.ts";
import type { OwnedChannelKey } from "../scope.ts";
import type { InboundMessage, MessageRef } from "../transport/events.ts";

/** Why the whole text of an event could not be stored beside it. */
export class TextNotKept extends Error {
  override readonly name = "TextNotKept";
}

/**
 * Stores an event whose texts were cut, and then their whole as a text file in an item of its own. A repeated event
 * has no further effect. Throws `TextNotKept` if only the event could be stored.
 */
export async function recordLongText(
  core: Base & HasReports,
  { accountId, channelId }: Pick<OwnedChannelKey, "accountId" | "channelId">,
  { event, whole }: { readonly event: MessengerEvent; readonly whole: string },
): Promise<void> {
  await core.reports.add({ accountId, channelId, event });
  const item = await itemOf(core, { accountId, channelId }, event);
  if (item === null) throw new TextNotKept("The text is too long, and its message is not known");
  const { chatType, chatId, externalId } = item;
  const fileId = derivedId("whole text", channelId, chatType, chatId, externalId);
  if (!(await storeWholeText(core, { accountId, channelId, id: fileId }, whole)))
    throw new TextNotKept("The text is too long, and the account's quota of files is used up");
  const file = { token: fileId, ...TEXT_FILE, size: Buffer.byteLength(whole) };
  const message = { ...item, body: { type: "media", media: "document", file, text: "" } } as const;
  await core.reports.add({ accountId, channelId, event: { kind: "message", message }, fileId });
  const of = { ...item, externalId: messageIdOf(externalId) };
  const deletedAt = await deletionOf(core, { accountId, channelId }, of);
  if (deletedAt === null) return;
  const ref = { chatType, chatId, externalId };
  await core.reports.add({ accountId, channelId, event: { kind: "deleted", ref, at: deletedAt } });
}

const DELETED = sql(
  "long_text_deleted",
  `select m.deleted_at from chats c
   join messages m on m.account_id = any(array[c.account_id]) and m.chat = any(array[c.id]) and m.external_id = $5
   where c.account_id = $1 and c.channel_id = $2 and c.chat_type = $3 and c.chat_id = $4`,
);

/** When the message was deleted, possibly before its item was stored; null: it is not deleted. */
async function deletionOf(
  { db }: Base,
  { accountId, channelId }: Pick<OwnedChannelKey, "accountId" | "channelId">,
  { chatType, chatId, externalId }: MessageRef,
): Promise<Date | null> {
  const values = [accountId, channelId, chatType, chatId, externalId];
  const [row] = await db.query<{ deleted_at: Date | null }>(DELETED, values);
  return row?.deleted_at ?? null;
}

type Item = Omit<InboundMessage, "body">;

/** The item without its file; null: the message that is edited is not known. */
async function itemOf(
  core: Base,
  of: Pick<OwnedChannelKey, "accountId" | "channelId">,
  event: MessengerEvent,
): Promise<Item | null> {
  if (event.kind === "message") {
    const { chatType, chatId, formerChatId, externalId, direction, sentAt, contact, sender } = event.message;
    return {
      ...{ chatType, chatId, direction, sentAt, contact },
      externalId: wholeTextId(externalId),
      ...(formerChatId === undefined ? {} : { formerChatId }),
      ...(sender === undefined ? {} : { sender }),
    };
  }
  return event.kind === "edited" ? itemOfEdit(core, of, event) : null;
}

const EDITED = sql(
  "long_text_edited",
  `select m.direction, m.sender from chats c
   join messages m on m.account_id = any(array[c.account_id]) and m.chat = any(array[c.id]) and m.external_id = $5
   where c.account_id = $1 and c.channel_id = $2 and c.chat_type = $3 and c.chat_id = $4`,
);

async function itemOfEdit(
  { db }: Base,
  { accountId, channelId }: Pick<OwnedChannelKey, "accountId" | "channelId">,
  { ref, at }: { readonly ref: MessageRef; readonly at: Date },
): Promise<Item | null> {
  const { chatType, chatId, externalId } = ref;
  const [row] = await db.query<{ direction: string; sender: Item["sender"] | null }>(EDITED, [
    ...[accountId, channelId, chatType, chatId, externalId],
  ]);
  if (row === undefined) return null;
  return {
    ...{ chatType, chatId, externalId: wholeTextId(externalId, at) },
    direction: row.direction === "in" ? "in" : "echo",
    sentAt: at,
    contact: { name: "" },
    ...(row.sender === null || row.sender === undefined ? {} : { sender: row.sender }),
  };
}
