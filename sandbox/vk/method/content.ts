import { isRecord } from "../../http/fields.ts";
import type { GroupCall } from "../call/call.ts";
import { badParam, VkError } from "../call/vk-error.ts";
import type { Content } from "../chat/conversation.ts";
import type { Dialog } from "../chat/dialog.ts";
import { type Attachment, type ForeignMessage, quotable } from "../shape.ts";
import { attachmentOf } from "../upload/library.ts";

/** https://dev.vk.com/ru/method/messages.send */
const maxText = 4096;
const maxAttachments = 10;
const maxForwards = 100;

/** The text, after a check of its length. */
export function readText({ params }: GroupCall): string {
  const text = params.text("message") ?? "";
  if ([...text].length > maxText) throw new VkError(914);
  return text;
}

/** `photo-1_457_k,doc-1_5`. Objects that do not exist or are not accessible are refused. */
export function readAttachments({ params, world, community }: GroupCall): Attachment[] {
  const references = params.texts("attachment") ?? [];
  if (references.length > maxAttachments) throw badParam(`too many attachments, maximum ${maxAttachments}`);
  return references.map((reference) => {
    const media = world.library.find(reference, -community.id);
    if (!media) throw badParam(`attachment ${reference} is invalid`);
    return attachmentOf(media);
  });
}

/** Latitude and longitude; both or neither. */
export function readGeo({ params }: GroupCall): Content {
  const latitude = params.number("lat");
  const longitude = params.number("long");
  if (latitude === undefined && longitude === undefined) return {};
  if (latitude === undefined || longitude === undefined)
    throw badParam("lat and long should be specified together");
  if (Math.abs(latitude) > 90) throw badParam("lat should be between -90 and 90");
  if (Math.abs(longitude) > 180) throw badParam("long should be between -180 and 180");
  return { geo: { type: "point", coordinates: { latitude, longitude } } };
}

/** The quoted (`reply_to`, or `forward` with `is_reply`) or forwarded messages. */
export function readQuoted(call: GroupCall, dialog: Dialog): Content {
  const { params, community } = call;
  const replyTo = params.integer("reply_to");
  if (replyTo !== undefined) {
    const found = community.messageById(replyTo);
    if (!found || found.dialog !== dialog) throw badParam("reply_to is invalid");
    return { reply_message: quotable(found.message) };
  }
  const forwarded = params.integers("forward_messages");
  if (forwarded) {
    const messages = forwarded.map((id) => community.messageById(id)?.message);
    return { fwd_messages: checkForwards(messages.map((message) => message && quotable(message))) };
  }
  return readForward(call);
}

/** https://dev.vk.com/ru/method/messages.send: `{peer_id, conversation_message_ids | message_ids, is_reply}` */
function readForward(call: GroupCall): Content {
  const { params, community } = call;
  const forward = params.json("forward");
  if (forward === undefined) return {};
  if (!isRecord(forward)) throw badParam("forward should be object");
  for (const name of Object.keys(forward))
    if (!forwardFields.includes(name)) params.unknown.push(`forward.${name}`);
  const dialog = community.dialogs.get(Number(forward["peer_id"]));
  const cmids = numbers(forward["conversation_message_ids"]);
  const ids = numbers(forward["message_ids"]);
  const found = [
    ...cmids.map((cmid) => dialog?.get(cmid)),
    ...ids.map((id) => community.messageById(id)?.message),
  ];
  const messages = checkForwards(found.map((message) => message && quotable(message)));
  const isReply = forward["is_reply"] === true || forward["is_reply"] === 1;
  if (!isReply) return { fwd_messages: messages };
  const [message, ...more] = messages;
  if (!message || more.length > 0) throw badParam("forward: is_reply needs exactly one message");
  return { reply_message: message };
}

const forwardFields = ["owner_id", "peer_id", "conversation_message_ids", "message_ids", "is_reply"];

function numbers(value: unknown): number[] {
  const list = Array.isArray(value) ? value : value === undefined ? [] : String(value).split(",");
  return list.map(Number);
}

function checkForwards(messages: readonly (ForeignMessage | undefined)[]): ForeignMessage[] {
  if (messages.length > maxForwards) throw new VkError(913);
  if (messages.length === 0) throw badParam("forward contains no messages");
  return messages.map((message) => {
    if (message) return message;
    throw new VkError(921);
  });
}
