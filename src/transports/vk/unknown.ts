import { isJson, objectIn, objectsIn } from "../kit/json.ts";
import { unknownFields } from "../kit/unknown-fields.ts";
import { carriesNothing, unknownTypes } from "./body.ts";
import { EVENT_TYPES } from "./inbound.ts";
import { unknownReactionIn } from "./reactions.ts";
import type { VkEvent } from "./update.ts";

/** Per event; a hostile one may have thousands. */
const MAX_UNKNOWN = 3;
const MAX_DEPTH = 10;

const TYPES: readonly string[] = EVENT_TYPES;
const MESSAGES: readonly string[] = ["message_new", "message_reply", "message_edit"];
/** Changes of a group chat, by `action.type` of its service messages (dev.vk.com, "Message object"). */
const ACTIONS: readonly string[] = [
  "chat_create",
  "chat_title_update",
  "chat_photo_update",
  "chat_photo_remove",
  "chat_invite_user",
  "chat_invite_user_by_link",
  "chat_invite_user_by_message_request",
  "chat_kick_user",
  "chat_pin_message",
  "chat_unpin_message",
  "chat_screenshot",
  "conversation_style_update",
];
/** The fields of a message (dev.vk.com, "Message object"; schema of VK's API, `messages_message`). */
const FIELDS: ReadonlySet<string> = new Set([
  ...["id", "conversation_message_id", "version", "date", "update_time", "peer_id", "from_id", "out"],
  ...["text", "attachments", "geo", "template", "keyboard", "payload", "ref", "ref_source", "action"],
  ...["fwd_messages", "reply_message", "admin_author_id", "random_id", "members_count", "is_cropped"],
  ...["important", "is_hidden", "is_silent", "is_unavailable", "is_pinned", "pinned_at", "was_listened"],
  ...[
    "deleted",
    "reaction_id",
    "reactions",
    "last_reaction_id",
    "is_mentioned_user",
    "expire_ttl",
    "is_expired",
  ],
]);
/** Beside the message in `message_new`. */
const AROUND: ReadonlySet<string> = new Set(["message", "client_info"]);

/** The kinds of what an event has and the connector does not know. `raw`: the event as it arrived. Pure. */
export function unknownIn(event: VkEvent, raw: unknown): readonly string[] {
  const { type, message } = event;
  if (!TYPES.includes(type)) return [`event.${type}`];
  const reaction = unknownReactionIn(event);
  const action = message.action?.type;
  const isMessage = MESSAGES.includes(type);
  // VK leaves out content for which its API has no form yet.
  const isEmpty = isMessage && action === undefined && carriesNothing(message);
  const kinds = [
    ...(isEmpty ? ["message.empty"] : []),
    ...(reaction === undefined ? [] : [`reaction.${reaction}`]),
    ...(action === undefined || ACTIONS.includes(action) ? [] : [`action.${action}`]),
    ...unknownTypes(message).map((each) => `attachment.${each}`),
    ...(isMessage ? unknownInObject(objectIn(raw, "object")) : []),
  ];
  return [...new Set(kinds)].slice(0, MAX_UNKNOWN);
}

/** Older versions of the API have the message itself in place of the object around it. */
function unknownInObject(object: unknown): string[] {
  const message = objectIn(object, "message");
  if (message === undefined) return unknownInMessage(object, MAX_DEPTH);
  return [
    ...unknownFields(object, AROUND).map((name) => `object.${name}`),
    ...unknownInMessage(message, MAX_DEPTH),
  ];
}

function unknownInMessage(message: unknown, depth: number): string[] {
  if (!isJson(message) || depth === 0) return [];
  const inside = [message["reply_message"], ...objectsIn(message, "fwd_messages")];
  return [
    ...unknownFields(message, FIELDS).map((name) => `message.${name}`),
    ...inside.flatMap((each) => unknownInMessage(each, depth - 1)),
  ];
}
