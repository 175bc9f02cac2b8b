import { beginning } from "../../kit/pieces.ts";
import type { Chat, WireMessage } from "../model.ts";
import { unmarked } from "../text-parts.ts";
import { bubbleWords, words } from "../texts/texts.ts";

/** The kind of a message without text. */
function typeName(type: WireMessage["type"]): string {
  const { photo, audio, video, document, contact, place, template, unsupported, missedCall } =
    bubbleWords.value;
  const names: Readonly<Record<WireMessage["type"], string>> = {
    text: "",
    image: photo,
    audio,
    video,
    document,
    vcard: contact,
    geo: place,
    wapi_template: template,
    unsupported,
    missing_call: missedCall,
    unknown: unsupported,
  };
  return names[type];
}

/** One line for a message of a chat of this type: its text without marks, or its kind. */
export function lineOf({ type, text }: Pick<WireMessage, "type" | "text">, chatType: string): string {
  const hasOwnText = text !== null && text !== "" && type !== "vcard" && type !== "geo";
  return hasOwnText ? unmarked(beginning(text), chatType).replaceAll(/\s+/g, " ") : typeName(type);
}

/** The last line of a chat in the list: author and text. */
export function summaryOf({ last_message: last, is_group: isGroup, chat_type: chatType }: Chat): string {
  if (last === null) return "";
  const author =
    last.direction === "in" ? (isGroup ? last.author_name : null) : (last.author_name ?? words.value.you);
  const line = last.is_deleted ? bubbleWords.value.deleted : lineOf(last, chatType);
  return author === null ? line : `${beginning(author)}: ${line}`;
}
