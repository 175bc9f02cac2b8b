import { opcode } from "../opcode.ts";
import { badPayload } from "../refusal.ts";
import { chatShape, isVisible, messageShape, reactionShape, visibleFrom } from "../shape.ts";
import { react } from "../world/posting.ts";
import { needChat } from "./chats.ts";
import { type MemberCall, needMessageIds, needNumber, type Operations, strictFields } from "./operation.ts";
import { needMessage, record } from "./sent-record.ts";

/** Messages: reading them, and reacting. */
export const messageOperations: Operations<MemberCall> = {
  [opcode.msgGet]: { name: "MSG_GET", fields: ["chatId", "messageIds"], run: getMessages },
  [opcode.chatHistory]: {
    name: "CHAT_HISTORY",
    fields: [
      "chatId",
      "from",
      "forward",
      "backward",
      "getMessages",
      "getChat",
      "itemType",
      "interactive",
      "forwardTime",
      "backwardTime",
    ],
    run: history,
  },
  [opcode.msgReaction]: {
    name: "MSG_REACTION",
    fields: ["chatId", "messageId", "reaction"],
    run: addReaction,
  },
  [opcode.msgCancelReaction]: {
    name: "MSG_CANCEL_REACTION",
    fields: ["chatId", "messageId"],
    run: cancelReaction,
  },
  [opcode.msgGetReactions]: {
    name: "MSG_GET_REACTIONS",
    fields: ["chatId", "messageIds"],
    run: getReactions,
  },
  [opcode.msgGetDetailedReactions]: {
    name: "MSG_GET_DETAILED_REACTIONS",
    fields: ["chatId", "messageId", "count"],
    run: getDetailedReactions,
  },
};

function getMessages(call: MemberCall): unknown {
  const { world, account, fields } = call;
  const chat = needChat(call);
  const wanted = needMessageIds(fields, "messageIds").flatMap((id) => chat.message(id) ?? []);
  const found = wanted.filter((message) => isVisible(message, account));
  return { messages: found.map((message) => messageShape(world, message, account)) };
}

/**
 * `backward` messages up to and including the time `from`, and `forward` messages after it, oldest first, without
 * removed ones. Members also see messages from before they joined.
 */
function history(call: MemberCall): unknown {
  const { world, account, fields } = call;
  const chat = needChat(call);
  const from = needNumber(fields, "from");
  if ((fields.text("itemType") ?? "REGULAR") !== "REGULAR") throw badPayload("itemType must be REGULAR");
  const limit = world.settings.historyPage;
  const [backward, forward] = ["backward", "forward"].map((name) =>
    Math.min(Math.max(0, fields.integer(name) ?? 0), limit),
  );
  const middle = chat.indexAfter(from);
  const before = visibleFrom(chat, account, { at: middle - 1, step: -1, count: backward ?? 0 });
  const after = visibleFrom(chat, account, { at: middle, step: 1, count: forward ?? 0 });
  const messages = [...before.reverse(), ...after].map((message) => messageShape(world, message, account));
  return {
    ...(fields.flag("getMessages") !== false && { messages }),
    ...(fields.flag("getChat") === true && { chat: chatShape(world, chat, account) }),
  };
}

function addReaction(call: MemberCall): unknown {
  const { world, account, session, fields } = call;
  const chat = needChat(call);
  const message = needMessage(call, chat);
  const reaction = strictFields(fields.raw("reaction"), ["reactionType", "id"], "reaction.");
  if (reaction.needText("reactionType") !== "EMOJI") throw badPayload("reactionType must be EMOJI");
  react({ world, chat, from: session }, message, { account, emoji: reaction.needText("id") });
  record(call, { method: "react", chat, message });
  return { reactionInfo: reactionShape(message, account) };
}

function cancelReaction(call: MemberCall): unknown {
  const { world, account, session } = call;
  const chat = needChat(call);
  const message = needMessage(call, chat);
  react({ world, chat, from: session }, message, { account, emoji: undefined });
  record(call, { method: "unreact", chat, message });
  return { reactionInfo: reactionShape(message, account) };
}

/** Who chose which reaction. */
function getDetailedReactions(call: MemberCall): unknown {
  const message = needMessage(call, needChat(call));
  const all = [...message.reactions].map(([userId, reaction]) => ({ userId, reaction }));
  return { reactions: all.slice(0, call.fields.integer("count") ?? defaultReactions) };
}

const defaultReactions = 100;

function getReactions(call: MemberCall): unknown {
  const chat = needChat(call);
  const messages = needMessageIds(call.fields, "messageIds").flatMap((id) => chat.message(id) ?? []);
  const shapes = messages.map((message) => [String(message.id), reactionShape(message, call.account)]);
  return { messagesReactions: Object.fromEntries(shapes) };
}
