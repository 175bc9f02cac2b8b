import type { MessageBody } from "../../core/transport/events.ts";
import { bodiesOf, joinParts, NOTHING, type Part, quotedPart, wordsPart } from "../kit/part.ts";
import { linked } from "../kit/words.ts";
import { attachmentPart, isKnownType } from "./attachment.ts";
import { searchIn } from "./page.ts";
import { placePart } from "./place.ts";
import type { VkAttachment, VkContent, VkObject } from "./update.ts";

/**
 * The bodies of a message: all its words, then those of what it forwards, with the first file or place; every other file is
 * a body of its own. None if it carries nothing, as an answered call.
 */
export function toBodies(message: VkContent): readonly MessageBody[] {
  return bodiesOf(partOf(message, false));
}

/** Whether there is nothing in a message that a person could have sent, not even something that makes no body. */
export function carriesNothing(message: VkContent & { readonly payload?: string | undefined }): boolean {
  const { attachments = [], ref, payload } = message;
  return (
    attachments.length === 0 && ref === undefined && payload === undefined && toBodies(message).length === 0
  );
}

/** The types of the attachments, at every depth, that the connector does not know. */
export function unknownTypes(message: VkContent): readonly string[] {
  const { attachments = [], fwd_messages = [], reply_message } = message;
  const inside = [...fwd_messages, ...(reply_message === undefined ? [] : [reply_message])];
  return [...new Set([...attachments.flatMap(unknownType), ...inside.flatMap(unknownTypes)])];
}

function unknownType({ type, object }: VkAttachment): string[] {
  return [...(isKnownType(type) ? [] : [type]), ...unknownIn(object)];
}

function unknownIn({ attachments = [], copy_history = [] }: VkObject): string[] {
  return [...attachments.flatMap(unknownType), ...copy_history.flatMap(unknownIn)];
}

function partOf(message: VkContent, isQuoted: boolean): Part {
  const { text, attachments = [], geo, template, fwd_messages = [] } = message;
  const around = { hasAddress: searchIn(text ?? ""), isQuoted };
  const forwarded = joinParts(fwd_messages.map(forwardedPart));
  return joinParts([
    wordsPart([text]),
    placePart(geo),
    ...attachments.map((attachment) => attachmentPart(attachment, around)),
    ...(template?.elements ?? []).map(elementPart),
    isQuoted ? forwarded : quotedPart(forwarded),
  ]);
}

/** A reply of a forwarded message is part of what is forwarded; that of the message itself is its quotation. */
function forwardedPart(message: VkContent): Part {
  const { reply_message } = message;
  const replied = reply_message === undefined ? NOTHING : forwardedPart(reply_message);
  return joinParts([partOf(message, true), replied]);
}

/** A card of a carousel (dev.vk.com, "Message templates"). */
function elementPart({ title, description, buttons = [] }: Element): Part {
  const labels = buttons.map(({ action }) => linked(action?.label, action?.link));
  return wordsPart([title, description, ...labels]);
}

type Element = NonNullable<NonNullable<VkContent["template"]>["elements"]>[number];
