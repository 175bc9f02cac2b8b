import type { TransportEvent } from "../../../core/transport/events.ts";
import { emitAll, MAX_EVENTS } from "../../kit/emit-all.ts";
import type { Json } from "../../kit/json.ts";
import type { InstagramLink } from "../access.ts";
import { MAX_PARTS, toComment, toEvents } from "../inbound.ts";
import { isOurs } from "../outbound/own-sends.ts";
import { type IdentifiedPerson, identify, rememberComment } from "../people.ts";
import { findKinds } from "./file-kinds.ts";
import {
  type Comment,
  type Direct,
  type Notification,
  readEntry,
  type Unknown,
  Unreadable,
} from "./notifications.ts";
import { fetchPost } from "./posts.ts";

const partsKey = (mid: string): string => `parts:${mid}`;

/**
 * Emits the notifications of one channel in order. Resolves once all are stored; if it rejects, Meta must retry the
 * call.
 */
export async function deliver(notifications: readonly Notification[], link: InstagramLink): Promise<void> {
  for (const { content, raw } of notifications) {
    try {
      if (content instanceof Unreadable) throw content;
      if (content !== null) await deliverOne(content, raw, link);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      await link.deadLetter(raw, error.message);
    }
  }
}

function deliverOne(content: Direct | Comment | Unknown, raw: Json, link: InstagramLink): Promise<void> {
  switch (content.kind) {
    case "direct":
      return deliverDirect(content, raw, link);
    case "comment":
      return deliverComment(content, raw, link);
    case "unknown":
      return link.reportUnknown(content.what, raw);
  }
}

/** Parses a dead letter again and emits its events. */
export async function reprocess(payload: unknown, link: InstagramLink): Promise<void> {
  const notifications = readEntry(payload);
  if (notifications.length === 0) throw new Error("The payload contains no notification");
  await deliver(notifications, link);
}

async function deliverDirect(direct: Direct, raw: Json, link: InstagramLink): Promise<void> {
  const { message } = direct.item;
  if (
    message?.is_echo === true &&
    message.mid !== undefined &&
    (await isOurs(link, direct.igsid, message.mid))
  )
    return;
  const person = await identify(link, direct.igsid);
  const kinds = await findKinds(message, link);
  const parts = message?.is_deleted === true ? await countedParts(link, message.mid) : undefined;
  const context = { person, now: new Date(), kinds, ...(parts !== undefined && { parts }) };
  const events = toEvents(direct, context);
  if (message?.mid !== undefined && message.is_deleted !== true && events.length > MAX_PARTS)
    await link.state.set(partsKey(message.mid), String(Math.min(events.length, MAX_EVENTS)));
  await emitPersons(events, person, { raw, link });
  await Promise.all(direct.unknown.map(({ what, sample }) => link.reportUnknown(what, sample)));
  if (message !== undefined && events.length === 0) await link.reportUnknown("message.empty", raw);
}

/** The items of a deleted message that had more than usual. */
async function countedParts({ state }: InstagramLink, mid = ""): Promise<number | undefined> {
  const count = Number(await state.get(partsKey(mid)));
  return count > MAX_PARTS ? count : undefined;
}

async function deliverComment(comment: Comment, raw: Json, link: InstagramLink): Promise<void> {
  const person = await identify(link, comment.igsid, comment.username);
  const post = await fetchPost(link, comment.mediaId);
  await rememberComment(link, comment.igsid, comment.id);
  await emitPersons([toComment(comment, { person, now: new Date(), post })], person, { raw, link });
}

async function emitPersons(
  events: readonly TransportEvent[],
  person: IdentifiedPerson,
  { raw, link }: { readonly raw: Json; readonly link: InstagramLink },
): Promise<void> {
  const { formerChatId: chatId, chatId: newChatId } = person;
  await person.prepare();
  // Stored before the events, whose chat it gives its new id.
  if (chatId !== undefined) await link.emit({ kind: "moved", chatType: "instagram", chatId, newChatId });
  await emitAll(link, events, raw);
  await person.remember();
}
