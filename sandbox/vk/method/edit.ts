import { type GroupCall, groupMethod, type MethodTable, noteSent } from "../call/call.ts";
import { badParam, VkError } from "../call/vk-error.ts";
import { amend, orderingKeyOf } from "../chat/conversation.ts";
import type { Dialog } from "../chat/dialog.ts";
import { readKeyboard } from "../chat/keyboard.ts";
import type { Message } from "../shape.ts";
import { readAttachments, readGeo, readText } from "./content.ts";
import { knownDialog } from "./target.ts";

/** Messages can be edited, and deleted for everyone, for a day. */
const changeableSeconds = 24 * 60 * 60;

/** Attachments without an editable text. */
const fixedAttachments = ["sticker", "audio_message", "graffiti"];

export const editMethods: MethodTable = {
  "messages.edit": groupMethod(
    "messages",
    {
      peer_id: "integer",
      message: "text",
      lat: "number",
      long: "number",
      attachment: "texts",
      keep_forward_messages: "flag",
      keep_snippets: "flag",
      dont_parse_links: "flag",
      disable_mentions: "flag",
      message_id: "integer",
      cmid: "integer",
      conversation_message_id: "integer",
      template: "json",
      keyboard: "json",
    },
    edit,
  ),
  "messages.delete": groupMethod(
    "messages",
    {
      message_ids: "integers",
      spam: "flag",
      reason: "integer",
      delete_for_all: "flag",
      peer_id: "integer",
      cmids: "integers",
    },
    remove,
  ),
};

/** Omitted parts are removed: attachments, the place, an inline keyboard. */
function edit(call: GroupCall): unknown {
  const { world, params, community } = call;
  const dialog = knownDialog(call, params.needInteger("peer_id"));
  const message = findOwn(call, dialog);
  checkAge(call, message, 909);
  if (message.action || message.attachments.some(({ type }) => fixedAttachments.includes(type))) {
    throw new VkError(920);
  }
  const keyboard = readKeyboard(params, -community.id);
  if (keyboard && !community.botsEnabled) throw new VkError(912);
  const text = readText(call);
  const attachments = readAttachments(call);
  const geo = readGeo(call);
  const { keyboard: _keyboard, geo: _geo, reply_message, ...rest } = message;
  const isKept = params.flag("keep_forward_messages");
  const forwards = isKept ? message.fwd_messages : [];
  if (text === "" && attachments.length === 0 && forwards.length === 0 && !geo.geo) {
    throw badParam("message is empty or invalid");
  }
  const edited = amend(world, dialog, rest, {
    text,
    attachments,
    fwd_messages: forwards,
    ...(isKept && reply_message && { reply_message }),
    ...geo,
    ...(keyboard && { keyboard }),
  });
  noteSent(call, { peer_id: dialog.peerId }, edited);
  world.emit(community, "message_edit", edited, orderingKeyOf(dialog));
  return 1;
}

function findOwn({ params, community }: GroupCall, dialog: Dialog): Message {
  const id = params.integer("message_id");
  const cmid = params.integer("cmid") ?? params.integer("conversation_message_id");
  if (id === undefined && cmid === undefined) throw badParam("message_id or cmid is required");
  const message = id === undefined ? dialog.get(cmid ?? 0) : dialog.byId(id);
  if (!message) throw badParam(`${id === undefined ? "cmid" : "message_id"} is invalid`);
  if (message.from_id !== -community.id) throw new VkError(15, "can't edit this message");
  return message;
}

function checkAge({ world }: GroupCall, message: Message, code: number): void {
  if (world.clock.now() - message.date >= changeableSeconds) throw new VkError(code);
}

/** Returns a result per message. Without `delete_for_all`, it is deleted for the community only. */
function remove(call: GroupCall): unknown {
  const { params, community } = call;
  const ids = params.integers("message_ids");
  if (ids) return ids.map((id) => removeFound(call, community.messageById(id), { message_id: id }));
  const cmids = params.integers("cmids");
  if (!cmids) throw badParam("message_ids or cmids is required");
  const dialog = knownDialog(call, params.needInteger("peer_id"));
  return cmids.map((cmid) => {
    const message = dialog.get(cmid);
    const name = { peer_id: dialog.peerId, conversation_message_id: cmid };
    return removeFound(call, message && { dialog, message }, name);
  });
}

function removeFound(
  call: GroupCall,
  found: { readonly dialog: Dialog; readonly message: Message } | undefined,
  name: {
    readonly peer_id?: number;
    readonly message_id?: number;
    readonly conversation_message_id?: number;
  },
): object {
  if (!found) return { ...name, response: 0 };
  const { dialog, message } = found;
  try {
    if (call.params.flag("delete_for_all")) checkDeletable(call, message);
  } catch (error) {
    if (!(error instanceof VkError)) throw error;
    return { ...name, response: 0, error: { code: error.code, description: error.message } };
  }
  dialog.delete(message.conversation_message_id);
  call.world.changed();
  const { id, conversation_message_id } = message;
  noteSent(call, { peer_id: dialog.peerId, message_id: id, conversation_message_id });
  return { ...name, response: 1 };
}

function checkDeletable(call: GroupCall, message: Message): void {
  if (message.from_id !== -call.community.id) throw new VkError(924);
  checkAge(call, message, 924);
}
