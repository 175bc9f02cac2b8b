import { type GroupCall, groupMethod, type MethodTable, noteSent } from "../call/call.ts";
import { badParam, VkError } from "../call/vk-error.ts";
import type { Dialog } from "../chat/dialog.ts";
import { REACTIONS, setReaction } from "../chat/reaction.ts";
import type { Message } from "../shape.ts";
import { knownDialog } from "./target.ts";

/** VK publishes no number of different reactions to a message. */
const maxDifferent = 8;

/** A community has one reaction to a message; another one replaces it. */
export const reactionMethods: MethodTable = {
  "messages.sendReaction": groupMethod(
    "messages",
    { peer_id: "integer", cmid: "integer", reaction_id: "integer" },
    (call) => {
      const id = call.params.needInteger("reaction_id");
      const { dialog, message } = targetOf(call);
      if (REACTIONS[id - 1] === undefined) throw new VkError(1009);
      const chosen = new Set(dialog.reactionsTo(message.conversation_message_id).values());
      if (!chosen.has(id) && chosen.size >= maxDifferent) throw new VkError(1011);
      return react(call, { dialog, message, id });
    },
  ),
  "messages.deleteReaction": groupMethod("messages", { peer_id: "integer", cmid: "integer" }, (call) =>
    react(call, { ...targetOf(call), id: undefined }),
  ),
};

interface Target {
  readonly dialog: Dialog;
  readonly message: Message;
}

function targetOf(call: GroupCall): Target {
  const dialog = knownDialog(call, call.params.needInteger("peer_id"));
  const message = dialog.get(call.params.needInteger("cmid"));
  if (message) return { dialog, message };
  throw badParam("cmid is invalid");
}

function react(call: GroupCall, { dialog, message, id }: Target & { readonly id: number | undefined }): 1 {
  const { world, community } = call;
  const { conversation_message_id } = message;
  setReaction(world, dialog, { cmid: conversation_message_id, by: -community.id, id });
  noteSent(call, { peer_id: dialog.peerId, message_id: message.id, conversation_message_id });
  return 1;
}
